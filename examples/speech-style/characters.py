"""Draw what characters say, and tell how far it spreads.

python3 characters.py ENCODER PICTURE.svg < utterances.jsonl > characters.tsv

An utterance is {"speaker", "text"}; a character is who says the most, of the six.  The picture has
the first two principal components of the vectors of length 1; "spread" is the mean distance of a
character's vectors from their mean, where 0 is always the same.
"""

import json
import sys
from collections import Counter

import matplotlib
import numpy as np
from sentence_transformers import SentenceTransformer
from sklearn.decomposition import PCA

matplotlib.use("svg")
from matplotlib import pyplot as plt  # noqa: E402

CHARACTERS = 6


def main(encoder: str, picture: str) -> None:
    utterances = [json.loads(line) for line in sys.stdin]
    counts = Counter(one["speaker"] for one in utterances).most_common(CHARACTERS)
    characters = [name for name, _ in counts]
    utterances = [one for one in utterances if one["speaker"] in characters]
    model = SentenceTransformer(encoder, device="cpu")
    vectors = model.encode([one["text"] for one in utterances], normalize_embeddings=True)
    components = PCA(2, random_state=0)
    points = components.fit_transform(vectors)
    speakers = np.array([one["speaker"] for one in utterances])

    for number, name in enumerate(characters, 1):
        plt.scatter(*points[speakers == name].T, s=8, label=f"character {number}")
    plt.legend()
    plt.savefig(picture)

    print("character", "utterances", "spread", sep="\t")
    for number, name in enumerate(characters, 1):
        of_name = vectors[speakers == name]
        spread = np.linalg.norm(of_name - of_name.mean(axis=0), axis=1).mean()
        print(f"{number} {name}", len(of_name), f"{spread:.3f}", sep="\t")
    share = 100 * components.explained_variance_ratio_.sum()
    print(f"two components: {share:.1f} % of the variance", "", "", sep="\t")


if __name__ == "__main__":
    main(*sys.argv[1:])

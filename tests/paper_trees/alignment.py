"""UMLS's tables, BERN2's output, prompts of MedLAMA and BioLAMA, mentions of XL-BEL and Mantra, of a few made-up concepts."""

import json
import sys
from pathlib import Path

import pytest
import tiny_models

AREAS = {"C100": "leg", "C101": "arm"}
PARTS = {"C0": ("knee", "rodilla"), "C1": ("hip", "cadera"), "C2": ("hand", "mano"), "C3": ("elbow", "codo")}  # fmt: skip


def write(folder: Path) -> dict[str, str]:
    for library in ("torch_geometric", "pykeen"):
        pytest.importorskip(library)
    fill(folder)
    words = tiny_models.tokenizer(["<s>", "<pad>", "</s>", "<unk>", "<mask>"])
    words.mask_token = "<mask>"
    model = tiny_models.save(folder / "bert", tiny_models.masked(words), words)
    return {
        "DATA": str(folder),
        "MODEL": model,
        "LMS": model,
        "PYTHON": sys.executable,
        "DIMENSIONS": "8",
        "BATCH": "8",
        "KGE": "transe",
        "KGE_EPOCHS": "1",
        "GRAPHS": "sage transe",
        "HELD": "es",
        "FROZEN": "half-half all-all",
        "TOKENS": "2",
    }


def fill(folder: Path) -> None:
    """Write the data."""
    names, relations, texts = [], [], []
    for area, called in AREAS.items():
        names.append(_conso(area, "ENG", f"M{area}", called))  # one name: it is learned from
    for number, (part, (english, spanish)) in enumerate(PARTS.items()):
        area = "C100" if number < 2 else "C101"
        names += [
            _conso(part, "ENG", f"M{part}", english),
            _conso(part, "SPA", f"M{part}", spanish),
        ]
        relations.append(f"{area}|A1|AUI|CHD|{part}|A2|AUI|part_of|R1||MSH|MSH|||N||\n")
        for ache in range(3):
            concept, form = f"{part}9{ache}", f"{english} {('pain', 'burn', 'cut')[ache]}"
            for n, name in enumerate((form, f"{form}s", f"the {form}", f"{form} now")):
                names.append(_conso(concept, "ENG", f"M{concept}" if n == 0 else "X", name))
            names.append(_conso(concept, "XXX", "X", "of a language that is not counted"))
            relations.append(f"{part}|A1|AUI|RO|{concept}|A2|AUI|has_site|R1||MSH|MSH|||N||\n")
            relations.append(f"{concept}|A1|AUI|RO|{part}|A2|AUI|site_of|R1||MSH|MSH|||N||\n")
            for before in ("She has ", "He had "):
                texts.append((before, form, concept))
    (folder / "MRCONSO.RRF").write_text("".join(names))
    (folder / "MRREL.RRF").write_text("".join(relations))
    with open(folder / "bern2.jsonl", "w", encoding="utf-8") as file:
        for before, form, concept in texts:
            span = {"begin": len(before), "end": len(before) + len(form)}
            entity = {"id": [f"mesh:M{concept}"], "mention": form, "obj": "disease", "span": span}
            unknown = entity | {"id": ["CUI-less"]}
            row = {"annotations": [entity, unknown], "text": f"{before}{form}."}
            file.write(json.dumps(row) + "\n")
    (folder / "medlama").mkdir()
    (folder / "medlama" / "prompts.csv").write_text(
        "pid,default_prompt,human_prompt\nhas_site,[X] site [Y] .,The site of [X] is [Y] .\n"
    )
    (folder / "medlama" / "has_site_2.csv").write_text(
        "head_cui,head_name,rel,tail_cuis_list,tail_names_list,tail_names,tail_cuis,tail_cuis_len\n"
        "C090,knee pain,has_site,\"['C0', 'C1']\",\"['Knee', 'Hip']\",Knee || Hip,C0 || C1,2\n"
        "C291,hand burn,has_site,['C2'],['Hand'],Hand,C2,1\n"
    )
    (folder / "xlbel").mkdir()
    (folder / "xlbel" / "es_1k_test_query.txt").write_text("C0||rodilla\nC2||mano\n")
    biolama = folder / "biolama" / "ctd"
    (biolama / "prompts").mkdir(parents=True)
    template = {"relation": "CD1", "template": "[X] prevents [Y] ."}
    (biolama / "prompts" / "manual.jsonl").write_text(json.dumps(template) + "\n")
    facts = [
        _fact("D1", ["MC090", "4"], ["Knee pain", "ABC1"], [["knee pains", "Sore knee"], []]),
        _fact("D2", ["4"], ["ABC1"], [[]]),
        _fact("D3", ["C0000007"], ["Hand burn"], [["Hand burn"]]),
    ]
    (biolama / "triples_processed" / "CD1").mkdir(parents=True)
    (biolama / "triples_processed" / "CD1" / "test.jsonl").write_text(
        "".join(json.dumps(fact) + "\n" for fact in facts)
    )
    mantra = folder / "Mantra-GSC" / "Spanish" / "EMEA_ec22-cui-best_man"
    mantra.mkdir(parents=True)
    (mantra / "1_d1.u1.txt").write_text(
        "Le duele\nla mano, ¡ay!, la mano derecha.\n", encoding="utf-8"
    )
    (mantra / "1_d1.u1.ann").write_text(
        'T3\tC2 12 16\tmano\n#3\tAnnotatorNotes T3\t"C2", "Hand", "Body Part" ,"ANAT"\n'
        'T4\tC3 12 16;32 39\tmano derecha\n#4\tAnnotatorNotes T4\t"C3", "Right", "Part" ,"ANAT"\n'
    )


def _fact(subject: str, objects: list[str], labels: list[str], aliases: list[list[str]]) -> dict:
    subject_of = {"uuid": f"{subject}-CD1", "predicate_id": "CD1", "sub_uri": subject}
    objects_of = {"obj_uris": objects, "obj_labels": labels, "obj_aliases": aliases}
    return {**subject_of, "sub_label": f"Drug {subject}", "sub_aliases": [], **objects_of}


def _conso(concept: str, language: str, code: str, name: str) -> str:
    source = "MSH" if code.startswith("M") else "SNOMEDCT_US"
    return f"{concept}|{language}|P|L1|PF|S1|Y|A1||||{source}|PT|{code}|{name}|0|N|256|\n"

"""FaceLandmarks2Wav: an encoder of landmarks, or of faces (Lip2Wav), and a decoder with attention.

Shapes: B samples, T frames of video, F landmarks, S steps of the decoder, r frames of sound a step.
"""

import torch
from spectrogram import MELS
from torch import Tensor, nn
from torch.nn.functional import dropout, l1_loss, mse_loss, pad, relu


def normalised(points: Tensor) -> Tensor:
    """Return landmarks (…, F, 3) less their mean c, divided by the largest distance m from it (equation 5).

    c is one number, the mean of all coordinates of a frame, as the equation has it.
    """
    points = points - points.mean((-2, -1), keepdim=True)
    return points / points.abs().amax((-2, -1), keepdim=True)


def loss(spoken: Tensor, true: Tensor, alpha: float = 0.5) -> Tensor:
    """Return α L1 + MSE (equation 4)."""
    return alpha * l1_loss(spoken, true) + mse_loss(spoken, true)


class Block(nn.Module):
    """A convolution over frames and coordinates, or over frames and pixels, beside a residual connection."""

    def __init__(self, dimensions: int, before: int, channels: int, stride: tuple[int, ...]):
        super().__init__()
        convolution, norm = {
            2: (nn.Conv2d, nn.BatchNorm2d),
            3: (nn.Conv3d, nn.BatchNorm3d),
        }[dimensions]
        size, around = (5, *[3] * (dimensions - 1)), (2, *[1] * (dimensions - 1))
        self.convolution = convolution(before, channels, size, stride, around)
        self.norm = norm(channels)
        self.past = convolution(before, channels, 1, stride)

    def forward(self, images: Tensor) -> Tensor:
        return relu(self.norm(self.convolution(images)) + self.past(images))


class Encoder(nn.Module):
    """Blocks with more and more channels, what remains beside the frames made one, an LSTM both ways.

    Landmarks are channels, and their coordinates what a convolution goes along (section 2.2).
    """

    def __init__(self, points: int, channels: list[int], hidden: int, faces: int = 0):
        super().__init__()
        if faces:  # Lip2Wav: pixels, half as many after each block
            sizes, rest = [3, *channels], -(-faces // 2 ** len(channels))
            blocks = [Block(3, a, b, (1, 2, 2)) for a, b in zip(sizes, channels, strict=False)]
            last = nn.Conv3d(channels[-1], hidden, (3, rest, rest), padding=(1, 0, 0))
            self.norm: nn.Module = nn.BatchNorm3d(hidden)
        else:
            sizes = [points, *channels]
            blocks = [Block(2, a, b, (1, 1)) for a, b in zip(sizes, channels, strict=False)]
            last = nn.Conv2d(channels[-1], hidden, (3, 3), padding=(1, 0))
            self.norm = nn.BatchNorm2d(hidden)
        self.blocks, self.last, self.faces = nn.Sequential(*blocks), last, faces
        self.context = nn.LSTM(hidden, hidden // 2, batch_first=True, bidirectional=True)

    def forward(self, seen: Tensor) -> Tensor:
        if self.faces:  # (B, T, pixels, pixels, 3) to (B, 3, T, pixels, pixels)
            images = seen.float().permute(0, 4, 1, 2, 3) / 255
        else:  # (B, T, F, 3) to (B, F, T, 3)
            images = normalised(seen).transpose(1, 2)
        features = relu(self.norm(self.last(self.blocks(images)))).flatten(2)  # (B, hidden, T)
        return self.context(features.transpose(1, 2))[0]


class Attention(nn.Module):
    """Weights of frames by what they hold and by where was attended to before (Chorowski et al. 2015)."""

    def __init__(self, query: int, memory: int, size: int):
        super().__init__()
        self.query = nn.Linear(query, size, bias=False)
        self.memory = nn.Linear(memory, size, bias=False)
        self.location = nn.Conv1d(1, size // 4, 31, padding=15, bias=False)
        self.place = nn.Linear(size // 4, size, bias=False)
        self.energy = nn.Linear(size, 1)

    def forward(self, query: Tensor, keys: Tensor, past: Tensor, far: Tensor | None) -> Tensor:
        places = self.place(self.location(past[:, None]).transpose(1, 2))  # (B, T, size)
        energies = self.energy(torch.tanh(self.query(query)[:, None] + keys + places))[..., 0]
        return (
            energies.masked_fill(far, -1e9).softmax(1) if far is not None else energies.softmax(1)
        )


class Decoder(nn.Module):
    """Frames of sound one after the other, each from those before it and from what it attends to (Tacotron 2).

    Equation 3: only frames within delta of the present one are seen; 0 for all.
    """

    def __init__(
        self, memory: int, size: int, prenet: int, postnet: int, attention: int, r: int, delta: int
    ):
        super().__init__()
        self.sizes, self.r, self.delta = (memory, size), r, delta
        self.narrow = nn.ModuleList([nn.Linear(MELS, prenet), nn.Linear(prenet, prenet)])
        self.attending = nn.LSTMCell(prenet + memory, size)
        self.attention = Attention(size, memory, attention)
        self.speaking = nn.LSTMCell(size + memory, size)
        self.frame = nn.Linear(size + memory, MELS * r)
        widths = [MELS, postnet, postnet, postnet, postnet, MELS]
        self.postnet = nn.Sequential(
            *(
                nn.Sequential(
                    nn.Conv1d(a, b, 5, padding=2),
                    nn.BatchNorm1d(b),
                    nn.Tanh() if b != MELS else nn.Identity(),
                )
                for a, b in zip(widths, widths[1:], strict=False)
            )
        )

    def prenet(self, frames: Tensor) -> Tensor:
        """Two layers with dropout, in use as in training: Tacotron 2 wants the variety."""
        for layer in self.narrow:
            frames = dropout(relu(layer(frames)), 0.5, training=True)
        return frames

    def forward(
        self, memory: Tensor, frames: int, true: Tensor | None = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return spectrograms before and after the postnet, B × frames × mels, and weights, B × S × T.

        The frame before is the true one where the truth is given (in training), else what was spoken.
        """
        batch, length, _ = memory.shape
        steps = -(-frames // self.r)
        empty = memory.new_zeros(batch, self.sizes[1])
        attending = speaking = (empty, empty)
        context, past = memory.new_zeros(batch, self.sizes[0]), memory.new_zeros(batch, length)
        keys, last = self.attention.memory(memory), memory.new_zeros(batch, MELS)
        if true is not None:
            before = pad(true, (0, 0, 1, 0))[:, :: self.r][:, :steps]
            forced = self.prenet(before)  # of all steps at once
        spoken, attended = [], []
        for step in range(steps):
            entry = forced[:, step] if true is not None else self.prenet(last)
            attending = self.attending(torch.cat([entry, context], 1), attending)
            far = None
            if self.delta:
                present = (step + 0.5) * length / steps
                far = (torch.arange(length, device=memory.device) - present).abs() > self.delta
            weights = self.attention(attending[0], keys, past, far)
            context, past = torch.einsum("bt,bth->bh", weights, memory), past + weights
            speaking = self.speaking(torch.cat([attending[0], context], 1), speaking)
            group = self.frame(torch.cat([speaking[0], context], 1)).view(batch, self.r, MELS)
            last = group[:, -1]
            spoken.append(group)
            attended.append(weights)
        rough = torch.cat(spoken, 1)[:, :frames]
        fine = rough + self.postnet(rough.transpose(1, 2)).transpose(1, 2)
        return rough, fine, torch.stack(attended, 1)


class Speaker(nn.Module):
    """Landmarks or faces to a mel spectrogram, whose mean and spread over the training data it keeps."""

    def __init__(self, encoder: dict, decoder: dict):
        super().__init__()
        self.sizes = {"encoder": encoder, "decoder": decoder}
        self.encoder = Encoder(**encoder)
        self.decoder = Decoder(memory=encoder["hidden"] // 2 * 2, **decoder)
        self.register_buffer("scale", torch.tensor([0.0, 1.0]))

    def forward(
        self, seen: Tensor, frames: int, true: Tensor | None = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return what the decoder does; all spectrograms in units of the spread."""
        return self.decoder(self.encoder(seen), frames, true)

    def scaled(self, logs: Tensor) -> Tensor:
        return (logs - self.scale[0]) / self.scale[1]

    def unscaled(self, spoken: Tensor) -> Tensor:
        return spoken * self.scale[1] + self.scale[0]

"""Devices of torch, and their precision."""

from dialtools.system.errors import MissingError, need


def device_of(name: str) -> str:
    """Return an existing device; "auto" is cuda if present, else cpu."""
    torch = need("torch", "models")
    if name == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        torch.empty(0, device=name)
    except (RuntimeError, AssertionError):  # the latter where torch was built without CUDA
        raise MissingError(f"no device {name!r} here; --device cpu always works") from None
    return name


def precision_of(precision: str, device: str) -> str:
    """Return the precision; "auto" is bfloat16 on a GPU that has it, else float32."""
    if precision != "auto":
        return precision
    place = device_of(device)
    if not place.startswith("cuda"):
        return "float32"
    # torch's own is_bf16_supported() also accepts emulation, and checks the first GPU alone.
    return (
        "bfloat16"
        if need("torch", "models").cuda.get_device_capability(place)[0] >= 8
        else "float32"
    )

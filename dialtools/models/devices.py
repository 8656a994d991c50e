"""Devices of torch, and the precision that each computes in."""

from dialtools.errors import MissingError, need


def device_of(name: str) -> str:
    """Return a device that is there; "auto" is cuda where there is one, else cpu."""
    torch = need("torch", "models")
    if name == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        torch.empty(0, device=name)
    except (RuntimeError, AssertionError):  # the latter where torch was built without CUDA
        raise MissingError(f"no device {name!r} here; --device cpu always works") from None
    return name


def precision_of(precision: str, device: str) -> str:
    """Return what "auto" stands for: bfloat16 on a GPU that has it, else float32; any other precision as it is."""
    if precision != "auto":
        return precision
    place = device_of(device)
    if not place.startswith("cuda"):
        return "float32"
    # torch's own is_bf16_supported() says yes of those that imitate it, too, and asks the first GPU alone.
    return "bfloat16" if need("torch", "models").cuda.get_device_capability(place)[0] >= 8 else "float32"

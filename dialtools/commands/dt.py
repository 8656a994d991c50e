"""List the commands of dialtools, or print their shell completion."""

import click

from dialtools import cli, registry
from dialtools.files import STANDARD, open_output

SHELLS = ("bash", "zsh", "fish")


def commands() -> dict[str, str]:
    """Return {command: summary} from file names and first lines, without imports."""
    names = [name for name in registry.names("commands") if name != "dt"]
    return {f"dt-{name.replace('_', '-')}": registry.summary("commands", name) for name in names}


def completer(shell: str) -> str:
    """Return the script that makes a shell complete the options and plug-ins of every command."""
    from click.shell_completion import BashComplete, FishComplete, ZshComplete

    kind = {"bash": BashComplete, "zsh": ZshComplete, "fish": FishComplete}[shell]
    found = [kind(main, {}, name, f"_{name.replace('-', '_').upper()}_COMPLETE")
             for name in ("dt", *commands())]
    # Not source(), which runs bash once a command to learn its version.
    return "\n".join(each.source_template % each.source_vars() for each in found)


def listing() -> str:
    """Return the commands, a line each."""
    found = commands()
    width = max(map(len, found))
    return "".join(f"{name:{width}}  {summary}\n" for name, summary in found.items())


@cli.command("dt", click.option("--completion", type=click.Choice(SHELLS),
                                help="Print the script that completes all commands in this shell."))
def main(completion: str | None) -> None:
    """List the commands of dialtools with a line each.

    dt-COMMAND --help tells all about one of them, and so does its man page.
    With one of these lines in ~/.bashrc, ~/.zshrc or
    ~/.config/fish/config.fish the shell completes options and plug-ins:

      source <(dt --completion bash)
      source <(dt --completion zsh)
      dt --completion fish | source

    Memory: none to speak of.

    Examples:

    $ dt | grep perturb
    dt-perturb    Vary dialogues as people naturally do: typos, greetings, joined turns.
    """
    with open_output(STANDARD) as file:
        file.write((completer(completion) if completion else listing()).encode())
        file.flush()

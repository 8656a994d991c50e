"""List the commands of dialtools, or print their shell completion.

dt COMMAND runs a command: dt score is dt-score.  Its --help has an example and
its options, its man page everything.
With one of these lines in ~/.bashrc, ~/.zshrc or
~/.config/fish/config.fish the shell completes options and plug-ins:

  source <(dt --completion bash)
  source <(dt --completion zsh)
  dt --completion fish | source

Memory: none to speak of.

Examples:

$ dt | grep -o 'dt-perturb .*'
dt-perturb     Vary dialogues as people naturally do: typos, greetings, joined turns.
"""

from itertools import chain

import click

from dialtools.pipeline import cli
from dialtools.plugins import registry
from dialtools.plugins.options import Choice
from dialtools.system.errors import nearest
from dialtools.system.files import STANDARD, open_output

SHELLS = ("bash", "zsh", "fish")
GROUPS = {
    "data": "convert check join clean select parse merge",
    "vary": "swap-names perturb template names",
    "generate": "generate resegment",
    "measure": "score ttest keywords cluster",
    "train": "train",
    "look": "show report",
}
OTHERS = "others"
FIRST = """\
The main job: dt-convert | dt-swap-names | dt-generate | dt-swap-names --restore | dt-score --sensitivity
Each has --help, with an example.
"""


def commands() -> dict[str, str]:
    """Return {command: summary} from file names and first lines, without imports."""
    names = [name for name in registry.names("commands") if name != "dt"]
    return {f"dt-{name.replace('_', '-')}": registry.summary("commands", name) for name in names}


def completer(shell: str) -> str:
    """Return the script that makes a shell complete the options and plug-ins of every command."""
    from click.shell_completion import BashComplete, FishComplete, ZshComplete

    kind = {"bash": BashComplete, "zsh": ZshComplete, "fish": FishComplete}[shell]
    completions = [
        kind(main, {}, name, f"_{name.replace('-', '_').upper()}_COMPLETE")
        for name in ("dt", *commands())
    ]
    # Not source(), which runs bash once a command to learn its version.
    script = "\n".join(each.source_template % each.source_vars() for each in completions)
    # bash puts a space behind KEY=, too, of which the name is still to come
    plain = "COMPREPLY+=($value)"
    return script.replace(plain, f"{plain}; [[ $value != *= ]] || compopt -o nospace")


def listing() -> str:
    """Return the commands by groups, a line each, and how to begin."""
    summaries = commands()
    width = max(map(len, summaries))
    groups = {group: [f"dt-{name}" for name in names.split()] for group, names in GROUPS.items()}
    groups[OTHERS] = [
        name for name in summaries if name not in chain.from_iterable(groups.values())
    ]
    blocks = [
        f"{group}:\n" + "".join(f"  {name:{width}}  {summaries[name]}\n" for name in names)
        for group, names in groups.items()
        if names
    ]
    return "\n".join([*blocks, FIRST])


class Name(click.ParamType):
    """The name of a command, without its dt-."""

    name = "command"

    def convert(self, value, param, ctx):
        names = [name.removeprefix("dt-") for name in commands()]
        raise click.UsageError(
            f"no command is called {value!r}{nearest(value, names)}; dt lists them", ctx
        )

    def shell_complete(self, ctx, param, incomplete):
        from click.shell_completion import CompletionItem

        summaries = {name.removeprefix("dt-"): summary for name, summary in commands().items()}
        return [
            CompletionItem(name, help=summary)
            for name, summary in summaries.items()
            if name.startswith(incomplete)
        ]


@cli.command(
    "dt",
    click.argument("name", metavar="[COMMAND]", required=False, type=Name()),
    click.option(
        "--completion",
        type=Choice(SHELLS),
        help="Print the script that completes all commands in this shell.",
    ),
)
def main(name: None, completion: str | None) -> None:
    with open_output(STANDARD) as file:
        file.write((completer(completion) if completion else listing()).encode())
        file.flush()

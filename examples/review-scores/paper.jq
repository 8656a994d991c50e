# The text of a paper that science-parse has read, as in PeerRead and ASAP-Review: the abstract and the sections with a
# heading.  Its id is the file's name.
# Usage: jq -c -f paper.jq FILE…

{id: (input_filename | sub(".*/"; "") | sub("(_content|\\.pdf)\\.json$"; "")), lang: "en",
 text: ([.metadata.abstractText, (.metadata.sections[]? | select(.heading) | .text)] | map(select(. != null and . != ""))
        | join("\n"))}
| select(.text != "")

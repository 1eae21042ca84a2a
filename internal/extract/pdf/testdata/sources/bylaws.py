"""Prints bylaws.txt in two columns: with Chromium, with Typst, and as a scanner with
text recognition does, a noisy picture a little askew read by Tesseract.

    pip install typst==0.15.2 pillow numpy
    python bylaws.py FOLDER

It needs chromium, pdftoppm and tesseract, and the Noto fonts of Debian.
"""

import re
import subprocess
import sys
from pathlib import Path

import numpy
import typst
from PIL import Image

HERE, OUT = Path(__file__).parent, Path(sys.argv[1])
BLOCKS = (HERE / "bylaws.txt").read_text().strip().split("\n\n")

STYLE = "body{font:11pt 'Noto Sans';margin:0} h2{break-after:avoid} div{column-count:2;column-gap:8mm;text-align:justify}"


def html(block):
    marks, text = re.match(r"(#*) ?(.*)", block).groups()
    tag = f"h{len(marks)}" if marks else "p"
    return f"<{tag}>{text}</{tag}>"


def typ(block):
    marks, text = re.match(r"(#*) ?(.*)", block).groups()
    return f"#{'heading(level: ' + str(len(marks)) + ')' if marks else 'par'}[#\"{text.translate({34: chr(92) + chr(34)})}\"]"


def chromium():
    page = OUT / "bylaws.html"
    page.write_text(f"<html lang=en><style>@page{{size:A5}}{STYLE}</style>{html(BLOCKS[0])}<div>{''.join(map(html, BLOCKS[1:]))}</div></html>")
    subprocess.run(["chromium", "--headless", "--no-sandbox", "--no-pdf-header-footer",
                    f"--print-to-pdf={OUT / 'chromium-columns.pdf'}", page.as_uri()], check=True)


def typst_columns(name, size, blocks):
    source = OUT / f"{name}.typ"
    source.write_text(f'#set page(paper: "{size}", columns: 2, margin: 14mm)\n#set text(9pt, lang: "en")\n#set par(justify: true)\n'
                      + "\n\n".join(map(typ, blocks)))
    typst.compile(str(source), output=str(OUT / f"{name}.pdf"))


def scanned():
    """One page at 150 dots an inch, turned by 0.4 degrees, with the noise of paper."""
    typst_columns("plain", "a5", BLOCKS[:19])
    subprocess.run(["pdftoppm", "-r", "150", "-gray", "-singlefile", OUT / "plain.pdf", OUT / "plain"], check=True)
    page = Image.open(OUT / "plain.pgm").rotate(0.4, resample=Image.Resampling.BICUBIC, fillcolor=255)
    noise = numpy.random.default_rng(1).normal(0, 4, (page.height, page.width))
    noisy = numpy.clip(numpy.asarray(page) * 0.94 + 6 + noise, 0, 255).astype("uint8")
    Image.fromarray(noisy).save(OUT / "scan.jpg", quality=40, dpi=(150, 150))
    subprocess.run(["tesseract", OUT / "scan.jpg", OUT / "tesseract-columns", "pdf"], check=True)


chromium()
typst_columns("typst-columns", "a5", BLOCKS)
scanned()

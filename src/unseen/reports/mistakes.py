"""The most confident mistakes as a gallery: small pictures in the page, what they are and what they were taken for."""

from __future__ import annotations

from html import escape

from unseen.reports.answer_pictures import AnswerPictures, Gallery, Mistake
from unseen.reports.drawing import data_uri
from unseen.reports.words import number

SIDE = 112  # pixels of a picture's longer side
MOST_BYTES = 600_000  # of all pictures together


def gallery_body(found: AnswerPictures) -> str:
    left = MOST_BYTES
    made, gone = [], 0
    for gallery in found.galleries:
        tiles = []
        for mistake in gallery.mistakes:
            uri = data_uri(mistake.picture, side=SIDE) if mistake.picture is not None else ""
            if uri and len(uri) > left:
                uri, gone = "", gone + 1
            left -= len(uri)
            tiles.append(_tile(mistake, gallery.target, uri))
        made.append(f"<h3>{escape(gallery.target)}</h3>{_told(gallery)}")
        made += [f'<ul class="gallery">{"".join(tiles)}</ul>'] if tiles else []
    words = (
        "Wrong answers about cells never seen in training, the most confident first, each image once and at most two "
        "for the same mistake. Confidence is the network's own (a softmax probability). The name is that of the image "
        "in its folder; a generated image has its row's number instead."
    )
    if found.pictureless:
        words += f" Without pictures: {found.pictureless}."
    if gone:
        words += f" {gone} pictures were left out, to keep this page small."
    return f'{"".join(made)}\n<p class="small">{escape(words)}</p>'


def _told(gallery: Gallery) -> str:
    share = f"{gallery.wrong:,} of {gallery.asked:,} answers about cells never seen are wrong"
    words = f"{share} ({number(gallery.wrong / gallery.asked, percent=True)})." if gallery.wrong else "None is wrong."
    if gallery.others:
        words = f"None is wrong of the networks that saw most. Of the others, {words}"
    return f'<p class="small">{escape(words)}</p>'


def _tile(mistake: Mistake, target: str, uri: str) -> str:
    said = f"{target} {mistake.truth}, taken for {mistake.response}"
    if uri:
        picture = f'<img src="{uri}" alt="{escape(said)}" loading="lazy">'
    else:
        picture = '<div class="no-picture" aria-hidden="true">no picture</div>'
    told = f"confidence {mistake.confidence:.2f}; wrong in {mistake.wrong} of {mistake.networks} networks"
    return (
        f"<li><figure>{picture}<figcaption><b>{escape(mistake.truth)} → {escape(mistake.response)}</b>"
        f"{escape(told)}<br>{escape(mistake.where)}<br><code>{escape(mistake.image).replace('/', '/<wbr>')}</code><br>"
        f"{escape(mistake.condition)}</figcaption></figure></li>"
    )

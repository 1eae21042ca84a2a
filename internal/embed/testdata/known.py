"""Writes the vectors of known.json again.

They are made by the tokenizer's reference implementation and the ONNX runtime's
Python package, without any code of this project:

    pip install onnxruntime==1.17.1 tokenizers==0.23.3 "numpy<2"
    python known.py

Made with Python 3.11.7 and numpy 1.26.4 on linux/amd64. The runtime is of the
version that the program loads: the model computes with integers of eight bits,
which other versions round in other places. By 1.31.1 eight of the ten vectors
are the same to 1e-5, and two differ by up to 0.012 in a component.
"""

import base64
import json
from pathlib import Path

import numpy
import onnxruntime
from tokenizers import Tokenizer

HERE = Path(__file__).parent
INSIDE = 254  # word pieces between the two marks

tokenizer = Tokenizer.from_file(str(HERE.parent / "minilm" / "tokenizer.json"))
tokenizer.no_truncation()
tokenizer.no_padding()


def session(model):
    return onnxruntime.InferenceSession(HERE.parent / model / "model.onnx", providers=["CPUExecutionProvider"])


def unit(vector):
    return vector / numpy.linalg.norm(vector)


def window(model, pieces):
    """The mean of the last hidden states of one input, as a unit vector."""
    marked = [tokenizer.token_to_id("[CLS]"), *pieces, tokenizer.token_to_id("[SEP]")]
    ids = numpy.array([marked], dtype=numpy.int64)
    inputs = {"input_ids": ids, "attention_mask": numpy.ones_like(ids), "token_type_ids": numpy.zeros_like(ids)}
    (states,) = model.run(["last_hidden_state"], inputs)
    return unit(states[0].astype(numpy.float64).mean(axis=0))


def vector(model, text, prefix=""):
    """The mean over the fewest windows of nearly one length, as a unit vector."""
    first = tokenizer.encode(prefix, add_special_tokens=False).ids
    pieces = tokenizer.encode(text, add_special_tokens=False).ids
    count = max(1, -(-len(pieces) // (INSIDE - len(first))))
    cuts = [i * len(pieces) // count for i in range(count + 1)]
    return unit(sum(window(model, first + pieces[begin:end]) for begin, end in zip(cuts, cuts[1:])))


def text_of(vector):
    return base64.b64encode(vector.astype("<f4").tobytes()).decode()


file = HERE / "known.json"
known = json.loads(file.read_text("utf-8"))
knowledge, reviews = session("minilm"), session("e5")
for answer in known:
    answer["vector"] = text_of(vector(knowledge, answer["text"]))
    answer["review"] = text_of(vector(reviews, answer["text"], "query: "))
file.write_text(json.dumps(known, indent=1, ensure_ascii=False) + "\n", "utf-8")

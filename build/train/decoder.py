"""Trains the built-in model's pointer decoder on the sequences that "train -export" wrote.

    /usr/bin/python3 build/train/decoder.py DIR [--minutes 60] [--width 192] [--layers 4]

Reads DIR/vocabulary.json and DIR/train.bin, writes DIR/model.json (sizes, and the name and
shape of each tensor) and DIR/model.bin (their values, float32, row by row, in that order);
"train -pack DIR" makes a GGUF of them. The model is GGUF's "llama": RMSNorm, rotary
positions on neighbouring pairs, SwiGLU, tied embeddings.

Only answers are learned, in batches of requests of about one length; matrices are multiplied
in bfloat16 where the processor has it, and in float32 elsewhere. With --start, training goes on
from the weights of an earlier model: half the requests are then enough. One thread: two are slower on cores that others use as well. The same seed gives
the same order of batches; the weights are the same to the byte on one kind of processor.
"""

import argparse
import json
import math
import struct
import time
from array import array
from pathlib import Path

import torch
import torch.nn.functional as F

HEAD = 32
BASE = 10000.0
# bfloat16 products are quicker only where the processor has instructions for them.
CPU = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
NUMBER = torch.bfloat16 if "avx512_bf16" in CPU or "amx_bf16" in CPU else torch.float32


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("folder", type=Path)
    p.add_argument("--width", type=int, default=192)
    p.add_argument("--layers", type=int, default=4)
    p.add_argument("--ffn", type=int, default=512)
    p.add_argument("--epochs", type=float, default=1.0)
    p.add_argument("--minutes", type=float, default=80, help="give up further epochs after so long")
    p.add_argument("--batch", type=int, default=3072, help="tokens of a batch")
    p.add_argument("--rate", type=float, default=2.5e-3)
    p.add_argument("--drop", type=float, default=0.0, help="dropout of the embedding")
    p.add_argument("--forget", type=float, default=0.03, help="share of the request's words that are hidden")
    p.add_argument("--start", type=Path, help="a decoder.gguf to go on from, of the same sizes")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--threads", type=int, default=1)
    return p.parse_args()


def read(folder):
    """The sequences, each as (tokens of the request, all tokens)."""
    words = array("H")
    words.frombytes((folder / "train.bin").read_bytes())
    out, at = [], 0
    while at < len(words):
        prompt, n = words[at], words[at + 1]
        out.append((prompt, words[at + 2 : at + 2 + n]))
        at += 2 + n
    return out


def batches(sequences, size, generator):
    """Numbers of sequences of about one length, some size tokens together, in random order."""
    noise = torch.rand(len(sequences), generator=generator).tolist()
    order = sorted(range(len(sequences)), key=lambda i: len(sequences[i][1]) + 3 * noise[i])
    out, now, longest = [], [], 0
    for i in order:
        longest = max(longest, len(sequences[i][1]))
        if now and longest * (len(now) + 1) > size:
            out.append(now)
            now, longest = [], len(sequences[i][1])
        now.append(i)
    out.append(now)
    return [out[i] for i in torch.randperm(len(out), generator=generator).tolist()]


class Norm(torch.nn.Module):
    """x over the root of its mean square. The activations are NUMBERs all the way."""

    def __init__(self, width):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(width))

    def forward(self, x):
        size = torch.linalg.vector_norm(x, dim=-1, keepdim=True, dtype=torch.float32) * x.shape[-1] ** -0.5
        return x * ((size + 1e-5).reciprocal().to(x.dtype)) * self.weight.to(x.dtype)


class Layer(torch.nn.Module):
    def __init__(self, width, ffn, depth, drop):
        super().__init__()
        self.heads, self.drop = width // HEAD, drop
        self.attn_norm, self.ffn_norm = Norm(width), Norm(width)
        line = lambda i, o: torch.nn.Linear(i, o, bias=False)
        self.q, self.k, self.v, self.out = (line(width, width) for _ in range(4))
        self.gate, self.up, self.down = line(width, ffn), line(width, ffn), line(ffn, width)
        for m in (self.q, self.k, self.v, self.gate, self.up):
            torch.nn.init.normal_(m.weight, std=width**-0.5)
        for m in (self.out, self.down):
            torch.nn.init.normal_(m.weight, std=m.weight.shape[1] ** -0.5 / math.sqrt(2 * depth))

    def forward(self, x, turn, mask):
        b, t, w = x.shape
        y = self.attn_norm(x)
        q, k, v = (m(y).view(b, t, self.heads, HEAD) for m in (self.q, self.k, self.v))
        scores = torch.matmul(rotate(q, turn).permute(0, 2, 1, 3), rotate(k, turn).permute(0, 2, 3, 1)) + mask
        mixed = torch.matmul(scores.softmax(-1), v.permute(0, 2, 1, 3))
        x = x + self.out(mixed.permute(0, 2, 1, 3).reshape(b, t, w))
        y = self.ffn_norm(x)
        gate = self.gate(y)
        return x + self.down(gate * gate.sigmoid() * self.up(y))


def rotate(x, turn):
    """Turns the pairs (0, 16), (1, 17), ... of each head; save writes the rows in the order that
    makes them the pairs of neighbours that GGUF's llama turns."""
    cos, sin = turn
    return x * cos + torch.roll(x, HEAD // 2, -1) * sin


class Decoder(torch.nn.Module):
    def __init__(self, words, a):
        super().__init__()
        self.embedding = torch.nn.Embedding(words, a.width)
        torch.nn.init.normal_(self.embedding.weight, std=a.width**-0.5)
        self.layers = torch.nn.ModuleList(Layer(a.width, a.ffn, a.layers, a.drop) for _ in range(a.layers))
        self.norm = Norm(a.width)
        self.drop = a.drop

    def forward(self, ids, where):
        """Logits of the positions in where (numbers in the flattened batch)."""
        b, t = ids.shape
        x = F.dropout(self.embedding(ids), self.drop, self.training).to(NUMBER)
        angle = torch.outer(torch.arange(t).float(), BASE ** (-torch.arange(0, HEAD, 2).float() / HEAD))
        cos, sin = angle.cos(), angle.sin()
        turn = [torch.cat(p, -1)[None, :, None, :].to(x.dtype) for p in ((cos, cos), (-sin, sin))]
        turn = [p * HEAD**-0.25 for p in turn]  # of q and of k: their products are over the root of the head's size
        mask = torch.full((t, t), float("-inf")).triu(1).to(x.dtype)
        for layer in self.layers:
            x = layer(x, turn, mask)
        x = self.norm(x.reshape(b * t, -1)[where])
        return F.linear(x, self.embedding.weight)


def learn(model, sequences, a, tokens):
    """One pass after the other over the sequences, with AdamW and a rate that falls as a cosine."""
    generator = torch.Generator().manual_seed(a.seed)
    first_word = next(i for i, t in enumerate(tokens) if t == "<sentence>") + 2
    hidden = tokens.index("<word>")
    may_hide = torch.tensor([i >= first_word and t.isalpha() for i, t in enumerate(tokens)])
    decay = [p for p in model.parameters() if p.dim() > 1]
    rest = [p for p in model.parameters() if p.dim() == 1]
    optimiser = torch.optim.AdamW(
        [{"params": decay, "weight_decay": 0.05}, {"params": rest, "weight_decay": 0.0}],
        lr=a.rate, betas=(0.9, 0.98), eps=1e-8)
    plan = []
    while len(plan) < 1 or a.epochs > 0:
        made = batches(sequences, a.batch, generator)
        plan += made[: max(1, int(len(made) * min(1.0, a.epochs)))]
        a.epochs -= 1
    began, loss_sum, right, answers, seen = time.time(), 0.0, 0, 0, 0
    for step, batch in enumerate(plan):
        warm = min(1.0, (step + 1) / 300)
        share = step / len(plan)
        if (time.time() - began) / 60 > a.minutes:
            print(f"stopped after {a.minutes} minutes", flush=True)
            break
        for group in optimiser.param_groups:
            group["lr"] = a.rate * warm * (0.03 + 0.97 * 0.5 * (1 + math.cos(math.pi * share)))
        longest = max(len(sequences[i][1]) for i in batch)
        ids = torch.zeros(len(batch), longest, dtype=torch.long)
        where, want = [], []
        for row, i in enumerate(batch):
            prompt, sequence = sequences[i]
            ids[row, : len(sequence)] = torch.tensor(sequence)
            where += range(row * longest + prompt - 1, row * longest + len(sequence) - 1)
            want += sequence[prompt:]
        if a.forget > 0:
            hide = (torch.rand(ids.shape, generator=generator) < a.forget) & may_hide[ids]
            ids = torch.where(hide, torch.tensor(hidden), ids)
        where, want = torch.tensor(where), torch.tensor(want)
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=NUMBER is torch.bfloat16):
            logits = model(ids, where)
        loss = F.cross_entropy(logits.float(), want, label_smoothing=0.02)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        loss_sum += loss.item()
        right += (logits.argmax(-1) == want).sum().item()
        answers += len(want)
        seen += ids.numel()
        if (step + 1) % 100 == 0:
            print(f"{step + 1} of {len(plan)}: loss {loss_sum / 100:.4f}, {100 * right / answers:.2f} % of tokens, "
                  f"{seen / (time.time() - began):.0f} tokens/s, {time.time() - began:.0f} s", flush=True)
            loss_sum, right, answers = 0.0, 0, 0


def tensors_of(path):
    """The words and the tensors of a GGUF file of F16 and F32 tensors, as rows of numbers."""
    data, at = path.read_bytes(), 0

    def take(form):
        nonlocal at
        values = struct.unpack_from("<" + form, data, at)
        at += struct.calcsize("<" + form)
        return values[0] if len(values) == 1 else values

    def text():
        nonlocal at
        n = take("Q")
        at += n
        return data[at - n : at].decode()

    def value(kind):
        if kind == 8:
            return text()
        if kind == 9:
            kind, n = take("I"), take("Q")
            return [value(kind) for _ in range(n)]
        return take("BbHhIif?  Qqd"[kind])

    at = 8
    tensors, fields = take("Q"), take("Q")
    head = {}
    for _ in range(fields):
        name = text()
        head[name] = value(take("I"))
    places = []
    for _ in range(tensors):
        name, dims = text(), take("I")
        places.append((name, [take("Q") for _ in range(dims)][::-1], take("I"), take("Q")))
    align = head.get("general.alignment", 32)
    start = (at + align - 1) // align * align
    out = {}
    for name, shape, kind, offset in places:
        form, size = {0: (torch.float32, 4), 1: (torch.float16, 2)}[kind]
        n = math.prod(shape)
        raw = bytearray(data[start + offset : start + offset + n * size])
        out[name] = torch.frombuffer(raw, dtype=form).float().view(shape)
    return head["tokenizer.ggml.tokens"], out


def begin(model, a, words):
    """Gives the model the weights of an earlier one. Words that are new there keep a random embedding."""
    old_words, old = tensors_of(a.start)
    number = {w: i for i, w in enumerate(old_words)}
    halves = lambda w: w.view(-1, HEAD // 2, 2, a.width).transpose(1, 2).reshape(a.width, a.width)
    with torch.no_grad():
        for i, w in enumerate(words):
            if w in number:
                model.embedding.weight[i] = old["token_embd.weight"][number[w]]
        model.norm.weight.copy_(old["output_norm.weight"])
        for i, layer in enumerate(model.layers):
            of = lambda name: old[f"blk.{i}.{name}.weight"]
            layer.attn_norm.weight.copy_(of("attn_norm"))
            layer.ffn_norm.weight.copy_(of("ffn_norm"))
            layer.q.weight.copy_(halves(of("attn_q")))
            layer.k.weight.copy_(halves(of("attn_k")))
            for mine, name in ((layer.v, "attn_v"), (layer.out, "attn_output"), (layer.gate, "ffn_gate"),
                               (layer.up, "ffn_up"), (layer.down, "ffn_down")):
                mine.weight.copy_(of(name))
    print(f"goes on from {a.start}: {sum(w in number for w in words)} of {len(words)} words are known", flush=True)


def save(model, a, words):
    tensors = {"token_embd.weight": model.embedding.weight, "output_norm.weight": model.norm.weight}
    for i, layer in enumerate(model.layers):
        neighbours = lambda w: w.view(-1, 2, HEAD // 2, a.width).transpose(1, 2).reshape(a.width, a.width)
        for name, tensor in {"attn_norm": layer.attn_norm.weight, "ffn_norm": layer.ffn_norm.weight, "attn_q": neighbours(layer.q.weight), "attn_k": neighbours(layer.k.weight),
                             "attn_v": layer.v.weight, "attn_output": layer.out.weight,
                             "ffn_gate": layer.gate.weight, "ffn_up": layer.up.weight,
                             "ffn_down": layer.down.weight}.items():
            tensors[f"blk.{i}.{name}.weight"] = tensor
    head = {"width": a.width, "layers": a.layers, "ffn": a.ffn, "heads": a.width // HEAD, "words": words,
            "rope_base": BASE, "epsilon": 1e-5,
            "tensors": [{"name": n, "shape": list(t.shape)} for n, t in tensors.items()]}
    (a.folder / "model.json").write_text(json.dumps(head))
    with (a.folder / "model.bin").open("wb") as f:
        for t in tensors.values():
            values = t.detach().float().contiguous().flatten().tolist()
            f.write(struct.pack(f"<{len(values)}f", *values))


def main():
    a = arguments()
    torch.set_num_threads(a.threads)
    torch.manual_seed(a.seed)
    vocabulary = json.loads((a.folder / "vocabulary.json").read_text())
    sequences = read(a.folder)
    model = Decoder(len(vocabulary["tokens"]), a)
    print(f"{sum(p.numel() for p in model.parameters()):,} parameters, {len(sequences):,} sequences, "
          f"{sum(len(s) for _, s in sequences):,} tokens", flush=True)
    if a.start:
        begin(model, a, vocabulary["tokens"])
    model.train()
    learn(model, sequences, a, vocabulary["tokens"])
    save(model, a, len(vocabulary["tokens"]))


if __name__ == "__main__":
    main()

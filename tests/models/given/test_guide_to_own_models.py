"""The guide to one's own models says what is so."""

import re
from dataclasses import fields
from pathlib import Path

from unseen.models.given import Preprocessing
from unseen.models.given.catalogue import CATALOGUE
from unseen.models.given.listing import also_here, describe_given

PAGE = (Path(__file__).resolve().parents[3] / "docs/guide/your-own-model.md").read_text(encoding="utf-8")


def test_its_blocks_run_from_top_to_bottom(capsys):
    names = {}
    for block in re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL):
        exec(compile(block, "your-own-model.md", "exec"), names)
    said = capsys.readouterr().out
    assert "torch.Size([4, 1000]) torch.Size([4, 512])" in said
    assert "coffee mug,mug,a kind of it" in said
    assert "automobile,car,a synonym" in said


def test_it_names_every_key_of_the_preprocessing_and_every_model_of_the_catalogue():
    assert [field.name for field in fields(Preprocessing) if f"`{field.name}`" not in PAGE] == []
    assert [name for name in CATALOGUE if f"`{name}`" not in PAGE] == []
    assert [row.name for row in CATALOGUE.values() if row.name and row.name.rpartition(".")[2] not in PAGE] == []


def test_the_list_has_every_model_and_knows_what_is_in_a_cache(tmp_path, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    listed = {row.name: row for row in describe_given()}
    assert listed.keys() >= CATALOGUE.keys() | {"efficientnet-lite0", "efficientnet-lite1", "efficientnet-lite2"}
    assert not any(listed[name].file for name in CATALOGUE)
    for repository, name in (
        ("timm/resnet50.a1_in1k", "model.safetensors"),
        ("timm/resnet10t.c3_in1k", "pytorch_model.bin"),
        ("somebody/beans", "model.safetensors"),
        ("somebody/words", "tokenizer.json"),
    ):
        place = tmp_path / f"models--{repository.replace('/', '--')}"
        (place / "snapshots/abc").mkdir(parents=True)
        (place / "refs").mkdir()
        (place / "refs/main").write_text("abc")
        (place / "snapshots/abc" / name).write_bytes(b"x" * 7)
        (place / "snapshots/abc/config.json").write_text("{}")
    assert also_here() == ["huggingface:somebody/beans", "timm:resnet10t.c3_in1k"]


def test_weights_of_torchvision_are_listed_by_the_name_that_brings_them(tmp_path, monkeypatch):
    monkeypatch.setattr("torch.hub.get_dir", lambda: str(tmp_path))
    (tmp_path / "checkpoints").mkdir()
    (tmp_path / "checkpoints/resnet18-f37072fd.pth").write_bytes(b"x")
    assert "torchvision:resnet18/IMAGENET1K_V1" in also_here()

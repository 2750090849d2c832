"""Every file layout of the paper's models is loaded: by files with the makers' names for tensors, written here."""

import argparse

import pytest
import timm
import torch

from unseen.models.given import bring, hub
from unseen.models.given.catalogue import CATALOGUE, from_catalogue
from unseen.models.given.layouts import Layout, load_layout, tensors_in, without_prefix
from unseen.vocabulary.errors import UnseenError

PICTURES = torch.randint(0, 256, (2, 3, 32, 32), dtype=torch.uint8, generator=torch.Generator().manual_seed(1))
VIT = {"img_size": 32, "embed_dim": 24, "depth": 1, "num_heads": 2}
SMALL = {"vit": VIT, "res": {"layers": [1, 1, 1, 1]}}


def encoder(kind, **more):
    torch.manual_seed(0)
    name = {"vit": "vit_base_patch16_224", "res": "resnet50"}[kind]
    return timm.create_model(name, **{"num_classes": 0, **SMALL[kind], **more}).eval()


def under(prefix, tensors):
    return {f"{prefix}{name}": value for name, value in tensors.items()}


def as_made(name, net):
    """The content of a file as the maker of a model writes it."""
    own, extra = net.state_dict(), torch.ones(2, 2)
    if name == "mae":  # mae_pretrain_vit_base.pth, and with the decoder (…_full.pth)
        return {"model": {**own, "decoder_pos_embed": extra, "mask_token": extra, "decoder_blocks.0.x": extra}}
    if name == "simclr":  # the state_dict of a Lightning file of Bolts
        fc = {"encoder.fc.weight": extra, "encoder.fc.bias": extra}
        return {"state_dict": {**under("encoder.", own), **fc, "projection.model.0.weight": extra}, "epoch": 800}
    if name == "resnet50-21k":  # resnet50_miil_21k.pth
        return {"state_dict": own}
    if name == "ibot-1k":  # the full checkpoint
        student = under("module.backbone.", {key: value + 1 for key, value in own.items()})
        both = {"student": {**student, "module.head.mlp.0.weight": extra}}
        teacher = {**under("backbone.", own), "head.mlp.0.weight": extra, "backbone.masked_embed": extra}
        return {**both, "teacher": teacher, "args": argparse.Namespace(arch="vit_base"), "epoch": 400}
    assert name == "ibot-21k"  # extract_backbone_weights.py writes the bare tensors
    return {**own, "masked_embed": extra}


FILES = {"mae": "vit", "simclr": "res", "resnet50-21k": "res", "ibot-1k": "vit", "ibot-21k": "vit"}


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_its_makers_gives_the_features_of_that_network(tmp_path, name):
    more = {"num_classes": 13} if name == "resnet50-21k" else {}
    net = encoder(FILES[name], **more)
    torch.save(as_made(name, net), tmp_path / "w.pth")
    given = from_catalogue(name, checkpoint=str(tmp_path / "w.pth"), arguments={**SMALL[FILES[name]], **more})
    assert given.outputs == more.get("num_classes", 0)
    small = given.preprocessing.__class__(size=(32, 32), crop=1.0)
    given.preprocessing = small
    with torch.no_grad():
        fed = small(PICTURES)
        want = net.forward_head(net.forward_features(fed), pre_logits=True)
    torch.testing.assert_close(given.features(PICTURES), want, rtol=1e-4, atol=1e-5)
    assert given.facts()["files"][0]["bytes"] == (tmp_path / "w.pth").stat().st_size


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_lacks_tensors_is_refused(tmp_path, name):
    made = as_made(name, encoder(FILES[name], **({"num_classes": 13} if name == "resnet50-21k" else {})))
    tensors = made.get("model", made.get("state_dict", made.get("teacher", made)))
    tensors.pop(next(key for key in tensors if key.endswith(("blocks.0.norm1.weight", "layer1.0.bn1.weight"))))
    torch.save(made, tmp_path / "w.pth")
    more = {"num_classes": 13} if name == "resnet50-21k" else {}
    with pytest.raises(UnseenError, match="1 missing in the file"):
        from_catalogue(name, checkpoint=str(tmp_path / "w.pth"), arguments={**SMALL[FILES[name]], **more})


@pytest.mark.parametrize("name", [name for name, row in CATALOGUE.items() if row.name.startswith("timm:")])
def test_timms_names_exist_and_come_with_weights_and_the_licence_that_is_told(name):
    row = CATALOGUE[name]
    architecture = row.name.removeprefix("timm:")
    assert architecture in timm.list_pretrained(f"{architecture.partition('.')[0]}.*")
    config = timm.get_pretrained_cfg(architecture)
    assert config.hf_hub_id
    assert row.licence.lower() == config.license


@pytest.mark.parametrize("name", [name for name, row in CATALOGUE.items() if row.name.startswith("open_clip:")])
def test_open_clips_names_exist(name):
    clip = pytest.importorskip("open_clip")
    architecture, _, tag = CATALOGUE[name].name.removeprefix("open_clip:").partition("/")
    assert tag in clip.list_pretrained_tags_by_model(architecture)


@pytest.mark.slow
@pytest.mark.parametrize("name", CATALOGUE)
def test_the_sizes_that_are_told_are_those_of_the_networks(name):
    row = CATALOGUE[name]
    if row.name.startswith("open_clip:"):
        clip = pytest.importorskip("open_clip")
        net = clip.create_model(row.name.removeprefix("open_clip:").partition("/")[0], load_weights=False)
    else:
        with torch.device("meta"):
            net = timm.create_model(row.name.removeprefix("timm:") or row.architecture, **row.arguments)
    assert sum(value.numel() for value in net.parameters()) == row.parameters


@pytest.mark.parametrize("name", CATALOGUE)
def test_what_is_not_here_is_told_with_where_it_comes_from(name):
    with pytest.raises(UnseenError) as told:
        bring(name)
    said = str(told.value)
    row = CATALOGUE[name]
    assert "download = true" in said or (row.file in said and row.source in said and "as checkpoint" in said)


def test_asking_for_a_download_without_a_network_says_so(monkeypatch):
    with pytest.raises(UnseenError, match="HF_HUB_OFFLINE is set, so that nothing is fetched"):
        bring("resnet10t.c3_in1k", download=True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setattr("huggingface_hub.hf_hub_download", _unreachable)
    with pytest.raises(UnseenError, match=r"could not be fetched \(ConnectionError: no route.*Is there a network"):
        bring("resnet10t.c3_in1k", download=True)
    with pytest.raises(UnseenError, match=r"could not be fetched.*Is there a network"):
        bring("torchvision:resnet18", download=True)


def _unreachable(*_, **__):
    raise ConnectionError("no route")


def test_weights_in_the_cache_are_used_without_a_word(tmp_path, monkeypatch):
    from safetensors.torch import save_file

    net = timm.create_model("resnet10t")
    save_file(net.state_dict(), tmp_path / "model.safetensors")
    monkeypatch.setattr(hub, "at_hand", lambda one: tmp_path / "model.safetensors")
    given = bring("resnet10t.c3_in1k")
    assert given.label_space == "imagenet-1k"
    assert given.facts()["licence"] == "apache-2.0"
    assert given.facts()["files"][0]["name"] == "model.safetensors"
    torch.testing.assert_close(given.module.state_dict()["fc.bias"], net.state_dict()["fc.bias"])


def test_two_networks_in_one_file_must_be_told_apart(tmp_path):
    net = timm.create_model("resnet10t", num_classes=3)
    other = {key: value + 1 for key, value in net.state_dict().items()}
    torch.save({"student": net.state_dict(), "teacher": under("module.", other)}, tmp_path / "w.pth")
    with pytest.raises(UnseenError, match=r'several networks \(student, teacher\); say which: part = "teacher"'):
        bring("resnet10t", checkpoint=tmp_path / "w.pth")
    given = bring("resnet10t", checkpoint=tmp_path / "w.pth", part="teacher")
    torch.testing.assert_close(given.module.state_dict()["fc.bias"], other["fc.bias"])


@pytest.mark.parametrize("prefix", ["", "module.", "backbone.", "module.encoder.", "model.backbone.net.", "_orig_mod."])
def test_a_prefix_of_all_names_is_found_by_what_lies_below_it(prefix):
    own = timm.create_model("resnet10t", num_classes=3).state_dict()
    made = {**under(prefix, own), "projector.0.weight": torch.ones(1)}
    found = without_prefix(made, own)
    assert own.keys() <= found.keys()


def test_what_only_training_needed_is_told(tmp_path):
    net = encoder("vit")
    torch.save(as_made("ibot-1k", net), tmp_path / "w.pth")
    assert "head.mlp.0.weight" in tensors_in(str(tmp_path / "w.pth"), "teacher")
    notes = load_layout(encoder("vit"), str(tmp_path / "w.pth"), Layout("teacher", ("head", "masked_embed")))
    assert notes == ["left out of the file, since only training needs it: head, masked_embed"]


def test_a_repository_and_an_address_say_where_they_are_kept():
    assert hub.Published("a", "b/c").place == "'b/c' of the Hugging Face hub"
    assert hub.at_hand(hub.Published("a", url="https://nowhere.example/w-0123456789.pth")) is None

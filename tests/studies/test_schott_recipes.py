"""The recipes of large networks and of transfer: the grids they make, what they cost, and what their network sees."""

from pathlib import Path

import pytest
import torch

from unseen.designs.levels import MODES
from unseen.kinds.checks import check
from unseen.kinds.in_domain.numbers import model_of
from unseen.models import build
from unseen.models.efficientnet_lite import efficientnet_lite0
from unseen.studies.protocol_table import protocol_of
from unseen.studies.study import Study
from unseen.studies.trials import expand
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.recipe import read_recipe, shipped

WORLDS = ("dsprites", "shapes3d", "mpi3d")
LITE = "efficientnet-lite0"


def trials_of(name):
    return expand(read_recipe(shipped()[f"schott2022/{name}"]))


def models(trials):
    """Names as the report has them, from the settings that a trial's description would hold."""
    found = {}
    for trial in trials:
        network = trial.recipe.network.model_dump(exclude_defaults=True) | {"sharing": "shared"}
        facts = {"description": {"network": network, "world": {"name": ""}}}
        model = model_of(trial.condition, facts, [key for key in trial.condition if key != "design.mode"])[1]
        found.setdefault(model, []).append(trial.recipe.design.arguments["mode"])
    return found


@pytest.mark.parametrize("world", WORLDS)
def test_large_networks_meet_all_four_splits_of_every_world(world):
    trials = trials_of(f"{world}-large")
    assert models(trials) == {"resnet50": list(MODES), "densenet121": list(MODES)}
    small = read_recipe(shipped()[f"schott2022/{world}"])
    for trial in trials:
        design, training = trial.recipe.design, trial.recipe.training
        own = {"mode": design.arguments["mode"], "images": 90_000, "test_images": 5000}
        assert design.arguments == {**small.design.arguments, **own}
        assert 2000 <= 90_000 * training.epochs // training.batch <= 2200, "steps"
        assert trial.recipe.network.pretrained is False


@pytest.mark.parametrize("world", WORLDS)
def test_transfer_is_frozen_and_finetuned_beside_the_same_network_from_scratch(world):
    trials = trials_of(f"{world}-transfer")
    names = (LITE, f"{LITE} pretrained", f"{LITE} pretrained frozen")
    assert models(trials) == {name: list(MODES) for name in names}
    assert len({str(trial.recipe.training) for trial in trials}) == 1, "they differ in their weights only"
    assert trials[0].recipe.training.normalise == "lite"
    assert (trials[0].recipe.network.channels, trials[0].recipe.network.arguments) == (3, {"side": 128})


def test_the_enlarging_network_answers_as_the_plain_one_does_to_enlarged_images():
    images = torch.rand(2, 3, 64, 64, generator=torch.Generator().manual_seed(0))
    torch.manual_seed(0)
    plain = efficientnet_lite0(3, (96, 96)).eval()
    torch.manual_seed(0)
    larger = efficientnet_lite0(3, (64, 64), side=96).eval()
    with torch.no_grad():
        wanted = plain(torch.nn.functional.interpolate(images, (96, 96), mode="bilinear"))
        assert torch.equal(larger(images), wanted)


def test_a_side_that_is_too_small_or_misspelt_is_refused():
    with pytest.raises(UnseenError, match="images of 16×16 are too small"):
        efficientnet_lite0(3, (64, 64), side=16)
    with pytest.raises(UnseenError, match="side"):
        build(LITE, {"x": 1}, input_size=(64, 64), seed=0, arguments={"sides": 128})


def small(*settings):
    return read_recipe(shipped()["schott2022/small"], settings)


def encoder(objective, *settings):
    """The first trial of the small recipe with an encoder in place of its networks."""
    backbone = "pcl" if objective == "pcl" else "vae"
    given = f'grid={{"network.backbone"=["{backbone}"], "training.objective"=["{objective}"]}}'
    return expand(small(given, *settings))[0]


def agreed(trial):
    """What a trial's protocol has nothing against."""
    protocol_of(trial.recipe).check(trial)


@pytest.mark.parametrize("world", WORLDS)
def test_every_encoder_of_a_shipped_recipe_fits_its_objective(world):
    for trial in trials_of(world):
        agreed(trial)


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ('network.sharing="separate"', "network.sharing = \"separate\" does nothing to the encoder 'vae'"),
        ("network.frozen=true", "network.frozen = true does nothing"),
        ("network.pretrained=true", "network.pretrained = true does nothing"),
        ('network.checkpoint="mine.pt"', 'network.checkpoint = "mine.pt" does nothing'),
        ('network.stem="small"', 'network.stem = "small" does nothing'),
        ("network.as_released=true", "network.as_released does nothing"),
        ('training.normalise="imagenet"', r'it takes images in \[0, 1\]; set training.normalise = "none"'),
        ("training.loss_weights={scale=2}", "give readout.loss_weights instead"),
        ("training.compile=true", "training.compile = true does nothing"),
    ],
)
def test_a_setting_that_an_encoder_does_not_look_at_is_refused(setting, words):
    with pytest.raises(UnseenError, match=words):
        agreed(encoder("beta-vae", setting))
    for trial in expand(small("seeds=[0]", 'training.normalise="half"')):
        agreed(trial)  # labelled networks look at them


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("readout.augment={shift=2}", r'readout.augment = {"shift" = 2.0} does nothing: a readout sees latents'),
        ('readout.normalise="half"', 'readout.normalise = "half" does nothing: a readout sees latents'),
        ('readout.objective="pcl"', "a readout learns by labels; the encoder's is training.objective"),
        ("readout.objective_arguments={beta=2}", "the encoder's are training.objective_arguments"),
        ('readout.precision="bf16"', "a readout is trained in float32"),
        ("readout.threads=2", "a trial has as many as training.threads says"),
        ("readout.loss_weights={scal=2}", r"no target 'scal' in readout.loss_weights.*Did you mean 'scale'\?"),
        ("network.arguments={latent=4}", r"no argument 'latent' in network.arguments.*Did you mean 'latents'\?"),
        ("network.arguments={seed=4}", "no argument 'seed' in network.arguments"),
        ("network.arguments={latents=many}", "network.arguments"),
        ('network.arguments={latents="4"}', 'latents = "4"; it is a whole number'),
        ('recordings={sets=["test"],cells=false,layers=["latent"]}', r"no layer 'latent'.*Did you mean 'latents'\?"),
    ],
)
def test_a_setting_of_a_readout_or_an_encoder_that_means_nothing_is_refused_before_training(setting, words, tmp_path):
    grid = '"network.backbone"=["vae"], "training.objective"=["beta-vae"], "design.mode"=["random"]'
    with pytest.raises(UnseenError, match=words):
        check(Study(small(f"grid={{{grid}}}", 'recordings.sets=["test"]', setting), tmp_path))


def test_a_readout_is_told_what_it_looks_at(tmp_path):
    given = 'readout={epochs=3, loss_weights={scale=2}, precision="float32", optimiser="sgd", compile=true}'
    grid = '"network.backbone"=["vae"], "training.objective"=["beta-vae"], "design.mode"=["random"]'
    assert check(Study(small(f"grid={{{grid}}}", 'recordings.sets=["test"]', given), tmp_path))


@pytest.mark.parametrize(
    ("setting", "known"),
    [
        ("{beta=4}", r"\(beta-vae, ada-gvae, slow-vae\)"),
        ("{gamma=4}", r"\(slow-vae\)"),
        ("{no=1}", r"\(beta-vae, .*pcl\)"),
    ],
)
def test_settings_of_an_objective_beside_labels_are_refused_before_training(setting, known, tmp_path):
    words = rf"does nothing where training.objective = 'supervised' \(the default\).*set training.objective {known}"
    with pytest.raises(UnseenError, match=words):
        check(Study(small(f"training.objective_arguments={setting}"), tmp_path))


def test_settings_of_an_objective_are_refused_before_training_for_every_trial_of_a_grid(tmp_path):
    grid = '"network.backbone"=["vae"], "training.objective"=["slow-vae"], "design.mode"=["random"]'
    varied = f'grid={{{grid}, "training.objective_arguments"=[{{gamma=5}}, {{betta=3}}]}}'
    with pytest.raises(UnseenError, match=r"no setting 'betta' in training.objective_arguments.*Did you mean 'beta'\?"):
        check(Study(small(varied, 'recordings.sets=["test"]'), tmp_path))


@pytest.mark.parametrize(
    ("backbone", "words"),
    [("vae", "'beta-vae', 'ada-gvae' or 'slow-vae'"), ("pcl", "'pcl'")],
)
def test_an_encoder_without_an_objective_is_told_which_to_set(backbone, words):
    trial = expand(small(f'grid."network.backbone"=["{backbone}"]'))[0]
    with pytest.raises(UnseenError, match=rf"learns without labels.*; set training.objective = {words}\.$"):
        agreed(trial)


def test_a_recipe_of_one_mode_says_which_row_sets_to_leave_out_and_is_then_whole():
    mode, backbone = 'grid."design.mode"=["composition"]', 'grid."network.backbone"=["mlp"]'
    with pytest.raises(UnseenError, match=r"no row set like 'one-out-\*' in any split of this study") as error:
        check(Study(small(mode, backbone), Path("nowhere")))
    remedy = """leave it out with --set 'recordings.sets=["validation", "test"]'."""
    assert str(error.value).endswith(remedy)
    assert check(Study(small(mode, backbone, remedy.split("'")[1]), Path("nowhere")))

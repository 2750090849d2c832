"""LabelledData that stay on the device and pictures that stream: the same training, and no thread left behind."""

import threading
import time

import numpy as np
import pytest
import torch
from small_learners import CPU, TARGETS, fetching, learner, normalised, of, same, toy, trained

from unseen.training import Learner, labelled_data, train
from unseen.training.feed import Prefetcher, fits, free_memory, resident
from unseen.vocabulary.sections import TrainingSection


def gone(thread, seconds=5.0):
    thread.join(seconds)
    return not thread.is_alive()


@pytest.fixture(autouse=True)
def no_thread_is_left_behind():
    before = set(threading.enumerate())
    yield
    left = [thread for thread in threading.enumerate() if thread not in before]
    assert all(gone(thread) for thread in left)


@pytest.mark.parametrize("augment", [{}, {"shift": 2.0, "flip": 0.5, "brightness": 0.2}])
def test_streamed_training_is_resident_training_to_the_bit(augment):
    data = toy(44)
    a, b = (trained(normalised(), data, hold=hold, augment=augment, lr=0.01) for hold in (True, False))
    assert same(a.network, b.network)
    assert a.curve == b.curve


def test_pictures_stay_where_they_fit_and_stream_where_they_do_not(monkeypatch):
    images, labels = toy(10)
    each = images[0].numel()
    monkeypatch.setattr("unseen.training.feed.free_memory", lambda device: 2 * 10 * each)
    assert of(images, labels, hold=None).held is not None
    monkeypatch.setattr("unseen.training.feed.free_memory", lambda device: 2 * 10 * each - 1)
    assert of(images, labels, hold=None).held is None


def test_free_memory_is_measured_also_where_the_system_tells_less(monkeypatch):
    assert fits(1, 1, CPU)
    assert not fits(2**40, 2**20, CPU)
    monkeypatch.setattr("os.sysconf_names", {"SC_PAGE_SIZE": 1, "SC_PHYS_PAGES": 2})  # as on macOS
    assert free_memory(CPU) > 0


def test_resident_pictures_are_fetched_in_chunks_and_kept_in_order(monkeypatch):
    monkeypatch.setattr("unseen.training.feed.CHUNK", 4)
    images, _ = toy(11)
    asked = []

    def fetch(rows, device):
        asked.append(len(rows))
        return fetching(images)(rows, device)

    rows = np.arange(11)[::-1].copy()
    assert torch.equal(resident(fetch, rows, CPU), images.flip(0))
    assert max(asked) == 4


def test_batches_fetched_ahead_come_in_order_and_end():
    images, _ = toy(12)
    batches = np.arange(12).reshape(4, 3)
    ahead = Prefetcher(fetching(images), iter(batches), CPU)
    for rows in batches:
        assert torch.equal(next(ahead), images[torch.from_numpy(rows)])
    with pytest.raises(StopIteration):
        next(ahead)
    assert gone(ahead._thread)


def test_only_a_few_batches_are_fetched_ahead():
    images, _ = toy(100)
    asked = []

    def fetch(rows, device):
        asked.append(rows)
        return fetching(images)(rows, device)

    ahead = Prefetcher(fetch, iter(np.arange(100).reshape(100, 1)), CPU, depth=3)
    time.sleep(0.3)
    assert len(asked) <= 4
    ahead.close()


def test_an_error_while_fetching_surfaces_as_itself_where_the_batch_is_asked_for_and_ends_the_thread():
    class Broken(Exception):
        pass

    images, _ = toy(12)

    def fetch(rows, device):
        if 6 in rows:
            raise Broken("file 6 is truncated")
        return fetching(images)(rows, device)

    ahead = Prefetcher(fetch, iter(np.arange(12).reshape(4, 3)), CPU)
    next(ahead), next(ahead)
    with pytest.raises(Broken, match="file 6 is truncated"):
        next(ahead)
    assert gone(ahead._thread)


def test_leaving_early_stops_the_thread_though_batches_are_waiting():
    images, _ = toy(100)
    ahead = Prefetcher(fetching(images), iter(np.arange(100).reshape(100, 1)), CPU)
    next(ahead)
    ahead.close()
    assert not ahead._thread.is_alive()


def streaming(fetch, images, labels, **settings):
    data = labelled_data(np.arange(len(labels)), labels, fetch, CPU, hold=False)
    section = TrainingSection(**{"epochs": 2, "batch": 4, **settings})
    return Learner(normalised(), TARGETS, data, of(images, labels), section, seed=0, device=CPU, precision="float32")


def test_an_error_while_streaming_stops_training_as_itself_and_every_learners_thread():
    images, labels = toy(80)
    calls = 0

    def fetch(rows, device):
        nonlocal calls
        calls += 1
        if calls > 6:
            raise OSError("disk gone")
        return fetching(images)(rows, device)

    learners = [streaming(fetching(images), images, labels), streaming(fetch, images, labels)]
    before = torch.get_num_threads()
    with pytest.raises(OSError, match="disk gone"):
        train(learners)
    assert all(one._ahead is None for one in learners)
    assert torch.get_num_threads() == before


def test_a_watcher_that_stops_training_stops_the_threads():
    images, labels = toy(80)
    learners = [streaming(fetching(images), images, labels, epochs=n) for n in (1, 5)]

    def stop(place, figures):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(learners, stop)
    assert all(one._ahead is None for one in learners)


def test_labels_go_with_their_rows_whatever_rows_are_asked_for():
    images, labels = toy(30)
    rows = np.array([29, 3, 17, 5])
    held = labelled_data(rows, labels[rows], fetching(images), CPU, hold=True)
    assert torch.equal(held.held, images[torch.from_numpy(rows)])
    assert held.labels.tolist() == labels[rows].tolist()
    assert len(held) == 4


def test_an_epoch_left_in_the_middle_is_forgotten_by_the_next():
    one = learner(hold=False, epochs=2, batch=4)
    one.begin_epoch(0)
    one.step()
    thread = one._ahead._thread
    one.begin_epoch(1)
    assert not thread.is_alive()
    one.leave()

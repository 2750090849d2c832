"""The machine a benchmark runs on: what it is asked for, what it is called, when its device is done."""

from __future__ import annotations

import argparse
import os

import torch

CUDA = torch.cuda.is_available()


def arguments(doc: str | None) -> argparse.ArgumentParser:
    """A parser that knows the device: the GPU where there is one."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda" if CUDA else "cpu")
    return parser


def network_arguments(doc: str | None) -> argparse.ArgumentParser:
    """One that also knows the network."""
    parser = arguments(doc)
    parser.add_argument("--backbone", default="resnet18" if CUDA else "resnet18-w16")
    return parser


def where(device: torch.device) -> str:
    """The device in words; on a CPU benchmarks take one thread, where nothing else is said."""
    threads = torch.get_num_threads()
    told = f"CPU, {threads} thread{'s' * (threads != 1)} of {os.cpu_count()} cores"
    return torch.cuda.get_device_name() if device.type == "cuda" else told


def settle(device: torch.device) -> None:
    """Wait until the device has done what it was told."""
    if device.type == "cuda":
        torch.cuda.synchronize()

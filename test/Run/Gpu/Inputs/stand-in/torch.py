"""Stands in for PyTorch where only the order of its calls matters: each takes 2 ms."""
import sys
from unittest.mock import MagicMock

torch = MagicMock(__version__="0")
torch.cuda.get_device_name.return_value = "a stand-in"
torch.cuda.get_device_properties.return_value.L2_cache_size = 1
torch.cuda.Event.return_value.elapsed_time.return_value = 2.0
sys.modules[__name__] = torch

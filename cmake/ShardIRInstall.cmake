# Installation is set up here once there is something to install.

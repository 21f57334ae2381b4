# Makes the configuration of the package out of site.toml: the service and every command use the same store and socket.
s|^folder = "store"$|folder = "/var/lib/colonnade"|
s|^# control_socket = "site.sock"$|control_socket = "/run/colonnade/control.sock"|

package config

import "path/filepath"

// program is the name of our folders.
const program = "agent-ls"

// configDir is the folder of the user's configuration file: below
// $XDG_CONFIG_HOME where that is set, else the platform's own place.
func configDir(env environment, goos, home string) string {
	return platformDir(env, goos, home, "XDG_CONFIG_HOME", ".config", "")
}

// stateDir is the folder of what the program keeps (contract §8).
func stateDir(env environment, goos, home string) string {
	return platformDir(env, goos, home, "XDG_STATE_HOME", filepath.Join(".local", "state"), "state")
}

// platformDir picks a folder. variable counts only when absolute, as the XDG
// specification says. Where the platform has one place for both, sub keeps
// them apart.
func platformDir(env environment, goos, home, variable, unix, sub string) string {
	if dir := env.get(variable); filepath.IsAbs(dir) {
		return filepath.Join(dir, program)
	}
	switch goos {
	case "darwin":
		return filepath.Join(home, "Library", "Application Support", program, sub)
	case "windows":
		if dir := env.get("LocalAppData"); dir != "" {
			return filepath.Join(dir, program, sub)
		}
		return filepath.Join(home, "AppData", "Local", program, sub)
	}
	return filepath.Join(home, unix, program)
}

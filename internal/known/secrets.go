package known

import "strings"

// Secrets are the names of files that hold secrets, wherever they are: * is any text in a name, ** any
// folders. Case does not matter.
func Secrets() []string {
	return []string{
		".env", ".env.*", ".env~", "*.env", ".envrc", ".netrc", ".npmrc", ".pypirc", ".yarnrc.yml", ".git-credentials", ".my.cnf",
		".pgpass", ".htpasswd", ".vault-token", ".terraformrc", "*.tfstate", "*.tfstate.backup",
		"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk",
		"*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.kdbx", "*.keystore", "*.ppk",
		".git/config", ".git/config.worktree", ".git/modules/**/config", ".git/worktrees/**/config.worktree",
		".aws/credentials", ".kube/config", ".docker/config.json", "gh/hosts.yml", ".m2/settings.xml",
		".cargo/credentials", ".cargo/credentials.toml", "gcloud/application_default_credentials.json", "/run/secrets/**",
	}
}

// PublicNames match Secrets, but are no secrets.
func PublicNames() []string {
	return []string{".env.example", ".env.sample", ".env.template", "example.env", "sample.env", "template.env"}
}

// HomeSecrets are the files and folders of a home folder in which programs keep passwords and keys,
// beside those in .ssh.
func HomeSecrets() []string {
	return []string{
		".aws/credentials", ".kube/config", ".docker/config.json", ".pgpass", ".my.cnf", ".netrc", ".npmrc", ".pypirc", ".git-credentials",
		".vault-token", ".terraformrc", ".m2/settings.xml", ".yarnrc.yml", ".cargo/credentials", ".cargo/credentials.toml",
		".config/git/credentials", ".cache/huggingface/token", ".composer/auth.json", ".config/composer/auth.json", ".config/pypoetry/auth.toml",
		".config/containers/auth.json", ".pulumi/credentials.json", ".databrickscfg", ".s3cfg", ".config/glab-cli/config.yml", ".config/hub", ".gem/credentials", ".bundle/config", ".htpasswd",
		".bash_history", ".zsh_history", ".python_history", ".node_repl_history", ".psql_history", ".mysql_history", ".local/share/fish/fish_history",
		".gnupg", ".password-store", ".aws/sso", ".aws/cli", ".config/gh", ".config/gcloud", ".config/op", ".config/rclone", ".config/sops", ".config/github-copilot", ".kaggle", ".oci", ".gemini", ".azure", ".terraform.d",
		".local/share/keyrings", ".mozilla", ".config/google-chrome", ".config/chromium", ".thunderbird", ".claude", ".codex",
	}
}

// IsPublicKey reports whether a file of a home folder's .ssh may be seen: all others there may be keys.
func IsPublicKey(name string) bool {
	return strings.HasSuffix(name, ".pub") || name == "config" || name == "known_hosts" || strings.HasPrefix(name, "known_hosts.")
}

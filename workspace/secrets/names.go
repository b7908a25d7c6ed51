package secrets

import (
	"path"
	"strings"
)

// FileLikelySecret reports whether a file's name alone shows that the file exists to hold
// secrets, and why. Such a file should be kept away from models and history as a whole: its
// secrets need not look like any known token.
func FileLikelySecret(name string) (why string, yes bool) {
	if holdsToken(name) {
		return "a token in its name", true
	}
	name = strings.ToLower(strings.ReplaceAll(name, `\`, "/"))
	dir, base := path.Split(name)
	base, _, _ = strings.Cut(base, ":") // an NTFS stream of the file is the file
	if base == ".env" || strings.HasPrefix(base, ".env.") || strings.HasSuffix(base, ".env") {
		return "environment file", !isTemplate(base)
	}
	if why, yes = secretNames[base]; yes {
		return why, true
	}
	if isTemplate(base) {
		return "", false
	}
	if why, yes = secretExtensions[path.Ext(base)]; yes {
		return why, true
	}
	return byPlace(path.Base(dir), base)
}

// shortestToken is the length below which nothing in a name is a token.
const shortestToken = 20

// holdsToken reports whether a path has a token in it. Paths are listed by the ten thousand: only one with a
// stretch of letters, digits, - and _ that is long enough is searched.
func holdsToken(name string) bool {
	n := 0
	for i := range len(name) {
		c := name[i]
		if 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '_' {
			if n++; n >= shortestToken {
				return len(Find("", []byte(name))) > 0
			}
		} else {
			n = 0
		}
	}
	return false
}

// isTemplate recognizes files that show the form of a secret file and are meant to be
// shared: .env.example, config.sample.env.
func isTemplate(base string) bool {
	for _, part := range strings.FieldsFunc(base, func(r rune) bool { return r == '.' || r == '-' || r == '_' }) {
		switch part {
		case "example", "examples", "sample", "template", "tmpl", "dist", "defaults", "schema":
			return true
		}
	}
	return false
}

// byPlace recognizes files that are secret in one directory only, and families of names.
func byPlace(dir, base string) (string, bool) {
	switch dir + "/" + base {
	case ".aws/credentials", ".docker/config.json", ".kube/config", ".cargo/credentials", ".cargo/credentials.toml",
		".gem/credentials", "gh/hosts.yml":
		return "credentials of a tool", true
	}
	stem := strings.TrimSuffix(base, path.Ext(base))
	switch path.Ext(base) {
	case ".json", ".yml", ".yaml", ".toml", ".ini", ".properties", ".txt":
	default:
		return "", false
	}
	switch {
	case stem == "credentials", stem == "secrets", stem == "secret":
		return "credentials by its name", true
	case strings.HasPrefix(stem, "client_secret"), strings.HasPrefix(stem, "service-account"),
		strings.HasPrefix(stem, "service_account"):
		return "key file of a cloud service", true
	}
	return "", false
}

var secretNames = map[string]string{
	"id_rsa": "private SSH key", "id_dsa": "private SSH key", "id_ecdsa": "private SSH key",
	"id_ed25519": "private SSH key", "id_ecdsa_sk": "private SSH key", "id_ed25519_sk": "private SSH key",
	".npmrc": "registry credentials", ".yarnrc.yml": "registry credentials", ".pypirc": "registry credentials",
	".netrc": "login credentials", "_netrc": "login credentials", ".git-credentials": "login credentials",
	".pgpass": "database password", ".my.cnf": "database password", ".htpasswd": "passwords",
	".dockercfg": "registry credentials", ".envrc": "environment file",
	"application_default_credentials.json": "key file of a cloud service",
	".vault-token":                         "access token", "kubeconfig": "cluster credentials",
	"master.key": "encryption key", "terraform.tfstate": "infrastructure state with its secrets",
	"wp-config.php": "database password",
}

var secretExtensions = map[string]string{
	".pem": "key or certificate", ".key": "private key", ".p12": "key store", ".pfx": "key store", ".pkcs12": "key store",
	".p8": "private key", ".jks": "key store", ".keystore": "key store", ".bcfks": "key store", ".ppk": "private SSH key",
	".kdb": "password store", ".kdbx": "password store", ".ovpn": "VPN credentials", ".tfvars": "infrastructure secrets",
	".gpg": "encrypted or key material", ".asc": "encrypted or key material", ".keychain": "password store",
	".agekey": "private key",
}

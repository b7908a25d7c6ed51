package secrets

import "testing"

func TestFileLikelySecret(t *testing.T) {
	secret := []string{
		".env", "a/b/.env", ".ENV", ".env.local", ".env.production", "prod.env", "deploy/.envrc", "id_rsa", ".ssh/id_ed25519",
		"certs/server.pem", "tls.key", "x.p12", "x.PFX", "credentials.json", "config/credentials.yml", "secrets.yaml",
		".npmrc", ".netrc", ".aws/credentials", "home/.docker/config.json", ".kube/config", "client_secret_123.json",
		"service-account.json", "prod.tfvars", "terraform.tfstate", "ghp_16C7e42F292c6912E7710c838347Ae178B4a.txt",
		"a/x-ghp_16C7e42F292c6912E7710c838347Ae178B4a/b.go", `win\dir\.env`, ".env:stream", "release.keystore",
	}
	plain := []string{
		".env.example", ".env.sample", ".env.template", "sample.env", "main.go", "id_rsa.pub", "credentials.go", "secrets.go",
		"environment.ts", "credentials", "config.json", "key.go", "keys/README.md", "tokens.css", "docker/config.json",
		"credentials.example.json", "package.json", "env", "x.env.go", "secret_test.py", "", "/",
		"a_rather_long_name_of_a_file_that_is_harmless_test.go", "assets/index-DkZ8a9Qx0b1c2d3e4f5a6b7c8d.js",
	}
	for _, name := range secret {
		if why, yes := FileLikelySecret(name); !yes || why == "" {
			t.Errorf("%q passes as harmless", name)
		}
	}
	for _, name := range plain {
		if why, yes := FileLikelySecret(name); yes {
			t.Errorf("%q is taken for a secret file: %s", name, why)
		}
	}
}

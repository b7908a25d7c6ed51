// Package config reads and changes config.toml, the user's file of model providers. Its names are
// those of Codex's config.toml, so that tables can be copied from one to the other.
//
//	config.toml --File.Read--> Config: Providers, each with its Problems; Unknown keys; or a Problem
//	     ^                        |
//	     |                        '-> the registry of models, 'waferpair models', the window
//	     '-------File.Add, File.Remove: the user's bytes, and a table more or less
//
//	model = "gpt-5.5"                      # the default model, and
//	model_provider = "openai"              # whose it is
//
//	[model_providers.openai]               # requests name its models openai/MODEL
//	name = "OpenAI"                        # for people
//	base_url = "https://api.openai.com/v1"
//	env_key = "OPENAI_API_KEY"             # the variable with the key
//	keyring = true                         # ours: the key is in the desktop's keyring
//	wire_api = "responses"                 # or "chat"; unset: tried out once
//	query_params = {}                      # added to each URL
//	http_headers = {}                      # not for keys
//	env_http_headers = {}                  # header = variable with its value
//	request_max_retries = 4
//	stream_max_retries = 5
//	stream_idle_timeout_ms = 300000
//	supports_websockets = true             # unset: tried
//	ca_file = "company.pem"                # ours: certificates to trust, beside the system's
//	models = ["gpt-5.5"]                   # ours: models to offer; or, with what is known of them:
//
//	[model_providers.openai.models."gpt-5.5"]
//	context = 400000                       # tokens of prompt and answer together
//	price = { input = 1.25, cached = 0.125, output = 10 } # dollars for a million tokens
//
//	[auto]                                 # ours: what the model "auto" asks where the built-in is not certain
//	ask = "openai/gpt-5.5"                 # for a kind of task: edit, ask, review, docs, tests, commit, explain
//	commit = "qwen"                        # the name of a model file does as well, or gguf:FILE
//	default = "local/qwen3-coder"          # for the others
//
//	[limits]                               # ours
//	daily_budget_usd = 5.0                 # over all projects and windows; unset: none
//
//	[model_files]                          # ours: what models in files may use of this computer
//	memory = "8GB"                         # that loaded ones take together; unset: six tenths of the computer's
//	keep = "10m"                           # how long one stays that nobody uses; unset: as long as there is room
//	threads = 4                            # that compute; unset: one for each core
//
// What callers may rely on:
//
//   - Reading never fails the program. A file that is no TOML is a Problem with line, column and what
//     to do; a provider with a mistake cannot be used, the others can.
//   - A key that nothing here reads is named in Unknown, and stays in the file.
//   - A change keeps every byte of the file that is not the changed provider's: comments, order,
//     unknown keys. The result is parsed before it is written; if anything but that provider would
//     differ, nothing is written. Two processes may change the file at once.
//   - No secret is accepted in the file: not in http_headers, query_params or base_url, not as
//     experimental_bearer_token. No error repeats one.
package config

module example.com/config-service

go 1.22

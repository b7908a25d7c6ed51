module tidewatch

go 1.22

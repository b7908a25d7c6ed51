package leftout

package wafer

import "waferpair/wafer/machine"

// Machine is the specification of a wafer-scale processor.
type Machine = machine.Machine

// MachineByName returns wse-2 or wse-3.
func MachineByName(name string) (Machine, error) { return machine.ByName(name) }

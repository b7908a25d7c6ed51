package gauge

import (
	"fmt"
	"log"
	"sort"
	"strings"
	"sync"
)

const DefaultTimezone = "UTC"

const maxStations = 256

// Station is a place with a gauge.
type Station struct {
	ID       string
	Name     string
	Lat, Lon float64
	Timezone string
	Active   bool
	offset   float64
}

// NewStation makes an active station.
func NewStation(id, name string) *Station {
	return &Station{ID: id, Name: name, Timezone: DefaultTimezone, Active: true}
}

func (s *Station) Validate() error {
	if s.ID == "" {
		return fmt.Errorf("station %q has no id", s.Name)
	}
	if s.Lat < -90 || s.Lat > 90 {
		return fmt.Errorf("station %s: bad latitude %f", s.ID, s.Lat)
	}
	if s.Lon < -180 || s.Lon > 180 {
		return fmt.Errorf("station %s: bad longitude %f", s.ID, s.Lon)
	}
	return nil
}

func (s *Station) Label() string {
	return strings.ToUpper(s.ID) + " (" + strings.TrimSpace(s.Name) + ")"
}

// Correct applies the offset of the station to a reading.
func (s *Station) Correct(r Reading) Reading {
	r.LevelCm += s.offset
	return r
}

// SetOffset sets the offset between gauge zero and chart datum, in cm.
func (s *Station) SetOffset(cm float64) {
	s.offset = cm
}

// Registry knows all stations by their id.
type Registry struct {
	mu       sync.RWMutex
	stations map[string]*Station
}

// NewRegistry makes an empty registry.
func NewRegistry() *Registry {
	return &Registry{stations: make(map[string]*Station)}
}

func (g *Registry) Add(s *Station, replace bool) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	fmt.Println("adding", s.ID, len(g.stations))
	if len(g.stations) >= maxStations {
		return fmt.Errorf("registry full (%d)", maxStations)
	}
	if _, ok := g.stations[s.ID]; ok && !replace {
		return fmt.Errorf("station %s already there", s.ID)
	}
	g.stations[s.ID] = s
	return nil
}

// Lookup finds a station by its id.
func (g *Registry) Lookup(id string) (*Station, bool) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	s, ok := g.stations[id]
	return s, ok
}

func (g *Registry) IDs() []string {
	g.mu.RLock()
	defer g.mu.RUnlock()
	ids := make([]string, 0, len(g.stations))
	for id := range g.stations {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	return ids
}

func (g *Registry) Len() int {
	return len(g.stations)
}

// dumpAll was used while the registry was being debugged.
func (g *Registry) dumpAll() {
	for id, s := range g.stations {
		log.Printf("%s: %+v", id, s)
	}
}

package wafer

// Placement is the place of a model on wafers, and what it uses of them.
type Placement struct {
	Layout    string    `json:"layout"` // "" or waferllm
	Machine   string    `json:"machine"`
	Model     string    `json:"model"`
	Objective Objective `json:"objective,omitempty"`

	Mesh            int `json:"mesh"`                   // side of a region
	Groups          int `json:"groups"`                 // of its allreduces
	PrefillMesh     int `json:"prefill_mesh,omitempty"` // layout waferllm
	PrefillGroups   int `json:"prefill_groups,omitempty"`
	LayersPerRegion int `json:"layers_per_region"` // of the fullest region
	LayerRegions    int `json:"layer_regions"`
	Wafers          int `json:"wafers"`

	Regions []Region `json:"regions"`

	Context      int        `json:"context"`
	Users        int        `json:"users"`             // requests with KV caches
	KVPositions  int        `json:"kv_positions"`      // of one user, in the fullest row
	ShiftTokens  int        `json:"kv_tokens_shift"`   // the most that a user's cache could hold with balanced rows
	ConcatTokens int        `json:"kv_tokens_concat"`  // the same if new entries stayed in the last row
	SRAM         SRAM       `json:"sram"`              // of the fullest core
	Colors       []ColorUse `json:"colors_per_kernel"` // of kernels that are resident at the same time
}

// Place returns the placement of a model, or a *Refusal.
func Place(r Request) (Placement, error) {
	r, a, err := r.complete()
	if err != nil {
		return Placement{}, err
	}
	if r.Layout == WaferLLM {
		return placeWaferLLM(r, a)
	}
	s, c, err := choose(r, a, newTimes(r.Machine))
	if err != nil {
		return Placement{}, err
	}
	return s.placement(c), nil
}

// choose returns the best candidate, or a refusal.
func choose(r Request, a Assumptions, known *times) (*search, candidate, error) {
	s := newSearch(r, a, known)
	c, ok := s.run()
	if !ok {
		return nil, c, s.refuse()
	}
	if err := checkColors(r, a, colors(r, a, c.regions)); err != nil {
		return nil, c, err
	}
	return s, c, nil
}

func (s *search) placement(c candidate) Placement {
	t := tileOf(s.Model, c.P)
	p := Placement{
		Machine: s.Machine.Name, Model: s.Model.Name, Objective: s.Objective,
		Mesh: c.P, Groups: s.mesh(c.P).Groups, LayersPerRegion: c.layersOf(s.Model), LayerRegions: c.regions,
		Wafers: c.wafers, Regions: c.layOut(s.Model.BlockCount),
		Context: s.Context, Users: c.users, KVPositions: positions(s.Model.Sees(s.Context), c.P),
		SRAM: s.placedUse(c), Colors: colors(s.Request, s.assume, c.regions),
	}
	p.capacity(entryBytes(t) * p.LayersPerRegion * c.users)
	return p
}

// placedUse returns the SRAM of the fullest core with layers, including the tables if they
// are in the same region.
func (s *search) placedUse(c candidate) SRAM {
	if c.spot == inLayers && s.assume.Timing == Emulated {
		return s.wholeUse(c)
	}
	u := s.use(c.P, tileOf(s.Model, c.P), c.regions)
	if c.spot == inLayers {
		u.Weights += s.wholeTables(c.P)
		u.Free -= s.wholeTables(c.P)
	}
	return u
}

// wholeTables returns the bytes of a core if one region holds both tables.
func (s *search) wholeTables(p int) int {
	if s.Model.TieWordEmbeddings {
		return tableBytes(s.Model, p, 1)
	}
	return 2 * tableBytes(s.Model, p, 1)
}

// capacity sets how many tokens the cache could hold with the free memory; entry is the
// size of a position in a core. If all new entries stay in the last row, the cache is
// limited to that row's room; shifting uses all P rows evenly.
func (p *Placement) capacity(entry int) {
	p.ConcatTokens = (p.SRAM.KV + p.SRAM.Free) / entry
	p.ShiftTokens = p.ConcatTokens * p.Mesh
}

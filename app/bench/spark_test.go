package bench

import "testing"

// TestReadSets reads what build/train prints.
func TestReadSets(t *testing.T) {
	got, err := readSets(`    group  requests  exact %  top three %  acted %  of these wrong %  
    terse       120     81.7         92.5     60.0               0.0  
      all       600     76.2         88.8     51.5               0.6  
declined: 301, of these taken for an edit: 2; to be asked about: 40, asked: 38
`)
	if err != nil {
		t.Fatal(err)
	}
	var values []float64
	for _, r := range got {
		values = append(values, r.Value)
		if !r.Meets() {
			t.Errorf("%s: %v of %v", r.Measure, r.Value, r.Bound)
		}
	}
	for i, want := range []float64{76.2, 88.8, 51.5, 0.6, 2} {
		if values[i] != want {
			t.Errorf("figure %d is %v, want %v", i, values[i], want)
		}
	}
	if _, err := readSets("nothing\n"); err == nil {
		t.Error("no figures, and no error")
	}
}

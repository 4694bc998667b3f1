package engine

import (
	"testing"

	"github.com/detent-run/detent/internal/testdb"
)

func TestMain(m *testing.M) { testdb.Main(m) }

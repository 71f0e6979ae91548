package providertest

import "testing"

func runConversations(t *testing.T, p Provider) {}
func runBroken(t *testing.T, p Provider)        {}

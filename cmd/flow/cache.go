package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/providers/cache"
	"github.com/a-seed-11b9befa/flow/runner/host"
)

func (p *program) cacheCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "cache",
		Short: "Show where answers of models are cached, and how many",
		RunE: func(*cobra.Command, []string) error {
			return p.withCache(func(dir string, store *cache.Store) error {
				size, err := store.Size()
				if err != nil {
					return err
				}
				return p.Text(fmt.Sprintf("%s: %s, %s\n", dir, quantity.Count(size.Answers, "answer"), quantity.Count(size.Bytes, "byte")))
			})
		},
	}
	c.AddCommand(&cobra.Command{
		Use:   "clean",
		Short: "Remove all cached answers",
		RunE: func(*cobra.Command, []string) error {
			return p.withCache(func(_ string, store *cache.Store) error { return store.Trim(0, 0) })
		},
	})
	return c
}

// withCache opens the cache, if there is one.
func (p *program) withCache(do func(dir string, store *cache.Store) error) error {
	dir, err := host.CacheDir(p.lookup)
	if err != nil {
		return err
	}
	if _, err := os.Stat(dir); os.IsNotExist(err) {
		return p.Text(dir + ": no answers\n")
	}
	store, err := cache.Open(dir, cache.Options{})
	if err != nil {
		return err
	}
	return do(dir, store)
}

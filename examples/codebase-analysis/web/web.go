// Package web shows the stock to a browser.
package web

import (
	"fmt"
	"net/http"
	"strconv"

	"example.com/inventory/store"
)

// Serve answers requests such as /take?article=nut&n=3 until it fails.
func Serve(address string, s store.Store) error {
	http.HandleFunc("/take", func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.FormValue("n"))
		if err := s.Take(r.FormValue("article"), n); err != nil {
			http.Error(w, err.Error(), http.StatusConflict)
			return
		}
		fmt.Fprintln(w, "taken")
	})
	return http.ListenAndServe(address, nil)
}

package permission

// markRoot marks the words that are the root of the file system: the kernel's
// files are below it.
func markRoot(words []pathWord) {
	for i := range words {
		for j, at := range words[i].places {
			if at.Canonical == "/" {
				words[i].places[j].ThroughKernel = true
			}
		}
	}
}

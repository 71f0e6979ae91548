package orders

// Total is what the lines cost together, in cents. Ten pieces of an article
// are cheaper.
func Total(lines []Line) int {
	sum := 0
	for _, l := range lines {
		price := l.Count * l.Cents
		if l.Count >= 10 {
			price -= price / 10
		}
		sum += price
	}
	return sum
}

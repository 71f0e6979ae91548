module sums

go 1.26

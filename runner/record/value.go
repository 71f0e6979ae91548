package record

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
)

// maxInline is the most bytes of data that a record's line holds. Larger data is a blob.
const maxInline = 64 << 10

// blobStart is the beginning of a reference to a blob. Data that begins like this is
// always stored as a blob, so that it is never taken for a reference.
const blobStart = `{"$blob":`

// A Value is the JSON of a record: the JSON itself, or the digest of the blob that
// holds it. The zero Value is no JSON at all.
type Value struct {
	raw    []byte
	digest string
	size   int64
}

// Inline returns a Value of JSON on one line. It is kept, not copied.
func Inline(raw []byte) Value { return Value{raw: raw, size: int64(len(raw))} }

// Blob returns the Value of a blob with that SHA-256, in hex, and size in bytes.
func Blob(digest string, size int64) Value { return Value{digest: digest, size: size} }

// IsZero reports whether there is none.
func (v Value) IsZero() bool { return v.raw == nil && v.digest == "" }

// Raw returns the JSON of an inline Value; nil for a blob.
func (v Value) Raw() json.RawMessage { return v.raw }

// Digest returns the SHA-256 of a blob in hex; "" for an inline Value.
func (v Value) Digest() string { return v.digest }

// Size returns the number of bytes.
func (v Value) Size() int64 { return v.size }

// Fits reports whether an inline Value may stand in its record's line.
func (v Value) Fits() bool {
	return v.digest != "" || len(v.raw) <= maxInline && !bytes.HasPrefix(v.raw, []byte(blobStart))
}

// line returns the Value in the form that it has in its record's line.
func (v Value) line() []byte {
	if v.digest == "" {
		return v.raw
	}
	b := append([]byte(blobStart), '"')
	b = append(append(b, v.digest...), `","bytes":`...)
	return append(strconv.AppendInt(b, v.size, 10), '}')
}

// readValue is the inverse of line.
func readValue(data []byte) (Value, error) {
	if !bytes.HasPrefix(data, []byte(blobStart)) {
		return Inline(data), nil
	}
	var ref struct {
		Digest string `json:"$blob"`
		Bytes  int64  `json:"bytes"`
	}
	if err := json.Unmarshal(data, &ref); err != nil {
		return Value{}, err
	}
	if sum, err := hex.DecodeString(ref.Digest); err != nil || len(sum) != 32 || ref.Digest != hex.EncodeToString(sum) || ref.Bytes < 0 {
		return Value{}, fmt.Errorf("%.80q is not the digest of a blob", ref.Digest)
	}
	return Blob(ref.Digest, ref.Bytes), nil
}

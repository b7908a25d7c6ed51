package fake

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"time"
)

// Name is a host that certificates are for and that no resolver knows: a Tunnel connects it.
const Name = "provider.test"

// Certificate is what a host shows.
type Certificate struct {
	Host    string        // that it is for; "": 127.0.0.1, localhost and Name
	Expired time.Duration // since when it is not valid any more; 0: it is
}

// certificate makes one that is signed by itself.
func certificate(of Certificate) (tls.Certificate, *x509.CertPool, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, nil, err
	}
	t := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "fake provider"},
		NotBefore: time.Now().Add(-24 * time.Hour), NotAfter: time.Now().Add(24 * time.Hour), IsCA: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, BasicConstraintsValid: true,
		DNSNames: []string{"localhost", Name}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	if of.Host != "" {
		t.DNSNames, t.IPAddresses = []string{of.Host}, nil
	}
	if of.Expired > 0 {
		t.NotAfter = time.Now().Add(-of.Expired)
	}
	der, err := x509.CreateCertificate(rand.Reader, t, t, &key.PublicKey, key)
	if err != nil {
		return tls.Certificate{}, nil, err
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		return tls.Certificate{}, nil, err
	}
	pool := x509.NewCertPool()
	pool.AddCert(leaf)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}, pool, nil
}

// PEM returns the certificate as a file holds it, for SSL_CERT_FILE and the like.
func (h *Host) PEM() []byte {
	if h.server.TLSConfig == nil {
		return nil
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: h.server.TLSConfig.Certificates[0].Certificate[0]})
}

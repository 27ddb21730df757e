/**
 * A self-signed certificate for secure.test and 127.0.0.1, valid for a hundred years; trusted by nobody but tests.
 * openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 36500 -subj /CN=secure.test
 *   -addext subjectAltName=DNS:secure.test,IP:127.0.0.1
 */
export const certificate = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgFWH9ttCH8ItCLLuI
XexkLDsXfakyGuT6irvAz0LUhuqhRANCAARm9g1xd1uzIrExUnCvRtdoAwN7IADQ
2o5BJmhbEszEd4JNb3R/cIBICelvo70yckZltRDOTGBoFZFNE8AL9Ete
-----END PRIVATE KEY-----`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBoDCCAUegAwIBAgIUUJev5bCBu7G98GOZszsw1NWuq+QwCgYIKoZIzj0EAwIw
FjEUMBIGA1UEAwwLc2VjdXJlLnRlc3QwIBcNMjYxMTE1MjI0NDQ2WhgPMjEyNjEw
MjIyMjQ0NDZaMBYxFDASBgNVBAMMC3NlY3VyZS50ZXN0MFkwEwYHKoZIzj0CAQYI
KoZIzj0DAQcDQgAEZvYNcXdbsyKxMVJwr0bXaAMDeyAA0NqOQSZoWxLMxHeCTW90
f3CASAnpb6O9MnJGZbUQzkxgaBWRTRPAC/RLXqNxMG8wHQYDVR0OBBYEFDrK/Qo4
DoqPmVYVTThao1V0X+XzMB8GA1UdIwQYMBaAFDrK/Qo4DoqPmVYVTThao1V0X+Xz
MA8GA1UdEwEB/wQFMAMBAf8wHAYDVR0RBBUwE4ILc2VjdXJlLnRlc3SHBH8AAAEw
CgYIKoZIzj0EAwIDRwAwRAIgJ3Vv/ySLUVcsEq0mxa04wzI2pfUYsXzPM/qCZorR
43MCIExqKdsDz0+HnEoyhIavh0nC7cQhG+0UjO+fRs0I8yip
-----END CERTIFICATE-----`,
};

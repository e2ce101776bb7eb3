// Codes of errors in a TLS handshake: of Node.js, of OpenSSL, and of certificate verification (X509_V_ERR_ without the prefix).

/** Node.js has no code for some reasons to reject a certificate, such as a signature with SHA-1: only the message says which it is. */
export const unspecified = 'UNSPECIFIED';

const codes =
  /^(?:ERR_TLS_|ERR_SSL_|ERR_OSSL_|EPROTO$|CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERROR_IN_C|INVALID_(?:CA|PURPOSE)$|PATH_LENGTH_EXCEEDED$|HOSTNAME_MISMATCH$|SUBJECT_ISSUER_MISMATCH$|AKID_)/;

export const isTlsCode = (code: string): boolean => code === unspecified || codes.test(code);

import helmet from 'helmet';

/** The headers of the docs page, which may load and call its own server only. */
export const security = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'self'"],
      imgSrc: ["'self'", 'data:'],
      objectSrc: ["'none'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
    },
  },
  xFrameOptions: { action: 'deny' },
  // Browsers accept these two over HTTPS only, and otherwise log warnings.
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  // HSTS belongs to the proxy that terminates TLS.
  strictTransportSecurity: false,
});

import helmet from 'helmet';

/** The headers of the docs page: nothing runs, loads or is called but what comes from the server itself. */
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
  // Browsers take these two over HTTPS only, and complain in the console anywhere else but on localhost.
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  // Whether a host is reachable over HTTPS alone is for whoever terminates TLS to say.
  strictTransportSecurity: false,
});

/**
 * The HTTP variables of nginx 1.22 to 1.31 and of its official modules, as the key of a limit gets them. Source: nginx
 * documentation, "Alphabetical index of variables" and the pages of the modules; tests compare every name with real
 * programs, and the values with real requests.
 */

/** What an nginx variable is, and which value it has when `limit_req` evaluates it, before there is a response. */
export type VariableFacts = {
  /** The module that defines it. */
  readonly module: string
  /** First version that knows it, where that is later than 1.22. */
  readonly since?: string
  /** True where only NGINX Plus has it. */
  readonly plus?: true
  /** The name of the module in `--with-…_module`, where a build may lack it or load it dynamically. */
  readonly build?: string
  /**
   * Where official packages lack the module: `module` names one that has to be loaded, `build` one that a build of nginx
   * may be without.
   */
  readonly needs?: 'module' | 'build'
  /** True for an undocumented variable that nginx uses internally: known, but never suggested. */
  readonly internal?: true
  /** `sometimes`: a request may have no value. `always`: no request has a value yet when limits are checked. */
  readonly empty?: 'sometimes' | 'always'
  /** How often the value changes, whatever the client does. */
  readonly changes?: 'request' | 'millisecond' | 'second' | 'connection'
  /** Where the client sets it, for values that it can vary without end. */
  readonly client?: ClientSource
  /**
   * True where all requests to a location that have a value have the same one when limits are checked (`$request_time` is
   * still 0.000).
   */
  readonly constant?: true
}

/** Where a client sets a value: `token` is a JWT that is not verified yet, `handshake` that of TLS. */
export type ClientSource = 'url' | 'header' | 'method' | 'connection' | 'handshake' | 'token'

/** Variables of one module. A name that ends in `*` is a prefix: it stands for all names that begin with it, and for itself. */
type VariableGroup = {
  readonly module: string
  readonly plus?: true
  readonly build?: string
  readonly needs?: 'module' | 'build'
  readonly since?: string
  readonly variables: Readonly<Record<string, Omit<VariableFacts, 'module'>>>
}

const PLAIN = {}
const MAY_LACK = { empty: 'sometimes' } as const
const ONE_IF_ANY = { empty: 'sometimes', constant: true } as const
const NOT_YET = { empty: 'always' } as const
const CONSTANT = { constant: true } as const
const INTERNAL = { internal: true, empty: 'always' } as const
const URL = { client: 'url' } as const
const URL_MAY_LACK = { client: 'url', empty: 'sometimes' } as const
const HEADER = { client: 'header', empty: 'sometimes' } as const
const GREETING = { client: 'handshake', empty: 'sometimes' } as const
const TOKEN = { client: 'token', empty: 'sometimes' } as const
const CONNECTION = { client: 'connection', changes: 'connection' } as const
const EACH_REQUEST = { changes: 'request' } as const
const EACH_SECOND = { changes: 'second' } as const

/** Every known variable, by module. */
export const VARIABLE_GROUPS: readonly VariableGroup[] = [
  {
    module: 'ngx_http_core_module',
    variables: {
      'arg_*': URL_MAY_LACK,
      args: URL_MAY_LACK,
      binary_remote_addr: PLAIN,
      body_bytes_sent: CONSTANT,
      bytes_sent: CONSTANT,
      connection: CONNECTION,
      connection_requests: CONNECTION,
      connection_time: CONNECTION,
      content_length: HEADER,
      content_type: HEADER,
      'cookie_*': HEADER,
      document_root: CONSTANT,
      document_uri: URL,
      host: PLAIN,
      hostname: CONSTANT,
      'http_*': HEADER,
      https: ONE_IF_ANY,
      is_args: MAY_LACK,
      is_request_port: { since: '1.29.3', empty: 'sometimes' },
      limit_rate: CONSTANT,
      msec: { changes: 'millisecond' },
      nginx_version: CONSTANT,
      pid: CONSTANT,
      pipe: PLAIN,
      proxy_protocol_addr: MAY_LACK,
      proxy_protocol_port: { empty: 'sometimes', ...CONNECTION },
      proxy_protocol_server_addr: MAY_LACK,
      proxy_protocol_server_port: MAY_LACK,
      'proxy_protocol_tlv_*': { since: '1.23.2', empty: 'sometimes' },
      query_string: URL_MAY_LACK,
      realpath_root: CONSTANT,
      remote_addr: PLAIN,
      remote_port: CONNECTION,
      remote_user: HEADER,
      request: URL,
      request_body: NOT_YET,
      request_body_file: NOT_YET,
      request_completion: NOT_YET,
      request_filename: URL,
      request_id: EACH_REQUEST,
      request_length: { client: 'header' },
      request_method: { client: 'method' },
      request_port: { since: '1.29.3', client: 'header', empty: 'sometimes' },
      request_time: CONSTANT,
      request_uri: URL,
      scheme: PLAIN,
      'sent_http_*': NOT_YET,
      'sent_trailer_*': NOT_YET,
      server_addr: PLAIN,
      server_name: PLAIN,
      server_port: PLAIN,
      server_protocol: PLAIN,
      status: CONSTANT,
      tcpinfo_rcv_space: PLAIN,
      tcpinfo_rtt: CONNECTION,
      tcpinfo_rttvar: CONNECTION,
      tcpinfo_snd_cwnd: PLAIN,
      time_iso8601: EACH_SECOND,
      time_local: EACH_SECOND,
      uri: URL,
    },
  },
  {
    module: 'ngx_http_upstream_module',
    variables: {
      upstream_addr: NOT_YET,
      upstream_bytes_received: NOT_YET,
      upstream_bytes_sent: NOT_YET,
      upstream_cache_etag: INTERNAL,
      upstream_cache_last_modified: INTERNAL,
      upstream_cache_status: NOT_YET,
      upstream_connect_time: NOT_YET,
      'upstream_cookie_*': NOT_YET,
      upstream_header_time: NOT_YET,
      'upstream_http_*': NOT_YET,
      upstream_last_addr: { plus: true, since: '1.29.3', ...NOT_YET },
      upstream_last_server_name: { plus: true, since: '1.25.3', ...NOT_YET },
      upstream_queue_time: { plus: true, ...NOT_YET },
      upstream_response_length: NOT_YET,
      upstream_response_time: NOT_YET,
      upstream_status: NOT_YET,
      'upstream_trailer_*': NOT_YET,
    },
  },
  {
    module: 'ngx_http_proxy_module',
    variables: {
      proxy_add_x_forwarded_for: { client: 'header' },
      proxy_host: NOT_YET,
      proxy_internal_body_length: INTERNAL,
      proxy_internal_chunked: INTERNAL,
      proxy_internal_host: { since: '1.29.4', ...INTERNAL },
      proxy_port: NOT_YET,
    },
  },
  { module: 'ngx_http_grpc_module', build: 'http_v2', variables: { grpc_internal_trailers: INTERNAL } },
  {
    module: 'ngx_http_fastcgi_module',
    variables: { fastcgi_path_info: URL_MAY_LACK, fastcgi_script_name: URL },
  },
  {
    module: 'ngx_http_browser_module',
    variables: { ancient_browser: MAY_LACK, modern_browser: MAY_LACK, msie: MAY_LACK },
  },
  { module: 'ngx_http_gzip_module', variables: { gzip_ratio: NOT_YET } },
  { module: 'ngx_http_limit_conn_module', variables: { limit_conn_status: NOT_YET } },
  { module: 'ngx_http_limit_req_module', variables: { limit_req_status: NOT_YET } },
  { module: 'ngx_http_referer_module', variables: { invalid_referer: MAY_LACK } },
  { module: 'ngx_http_ssi_module', variables: { date_gmt: EACH_SECOND, date_local: EACH_SECOND } },
  {
    module: 'ngx_http_userid_module',
    variables: { uid_got: HEADER, uid_reset: MAY_LACK, uid_set: { empty: 'sometimes', changes: 'request' } },
  },
  {
    module: 'ngx_http_geoip_module',
    build: 'http_geoip',
    needs: 'module',
    variables: {
      geoip_area_code: MAY_LACK,
      geoip_city: MAY_LACK,
      geoip_city_continent_code: MAY_LACK,
      geoip_city_country_code: MAY_LACK,
      geoip_city_country_code3: MAY_LACK,
      geoip_city_country_name: MAY_LACK,
      geoip_country_code: MAY_LACK,
      geoip_country_code3: MAY_LACK,
      geoip_country_name: MAY_LACK,
      geoip_dma_code: MAY_LACK,
      geoip_latitude: MAY_LACK,
      geoip_longitude: MAY_LACK,
      geoip_org: MAY_LACK,
      geoip_postal_code: MAY_LACK,
      geoip_region: MAY_LACK,
      geoip_region_name: MAY_LACK,
    },
  },
  {
    module: 'ngx_http_realip_module',
    build: 'http_realip',
    variables: { realip_remote_addr: PLAIN, realip_remote_port: CONNECTION },
  },
  {
    module: 'ngx_http_secure_link_module',
    build: 'http_secure_link',
    needs: 'build',
    variables: { secure_link: URL_MAY_LACK, secure_link_expires: URL_MAY_LACK },
  },
  { module: 'ngx_http_slice_module', build: 'http_slice', needs: 'build', variables: { slice_range: HEADER } },
  {
    module: 'ngx_http_stub_status_module',
    build: 'http_stub_status',
    needs: 'build',
    variables: {
      connections_active: PLAIN,
      connections_reading: PLAIN,
      connections_waiting: PLAIN,
      connections_writing: PLAIN,
    },
  },
  { module: 'ngx_http_v2_module', build: 'http_v2', variables: { http2: ONE_IF_ANY } },
  { module: 'ngx_http_v3_module', build: 'http_v3', needs: 'build', since: '1.25.0', variables: { http3: ONE_IF_ANY } },
  {
    module: 'ngx_http_ssl_module',
    build: 'http_ssl',
    variables: {
      ssl_alpn_protocol: MAY_LACK,
      ssl_cipher: MAY_LACK,
      ssl_ciphers: GREETING,
      ssl_client_cert: MAY_LACK,
      ssl_client_escaped_cert: MAY_LACK,
      ssl_client_fingerprint: MAY_LACK,
      ssl_client_i_dn: MAY_LACK,
      ssl_client_i_dn_legacy: MAY_LACK,
      ssl_client_raw_cert: MAY_LACK,
      ssl_client_s_dn: MAY_LACK,
      ssl_client_s_dn_legacy: MAY_LACK,
      ssl_client_serial: MAY_LACK,
      ssl_client_sigalg: { since: '1.29.3', ...MAY_LACK },
      ssl_client_v_end: MAY_LACK,
      ssl_client_v_remain: MAY_LACK,
      ssl_client_v_start: MAY_LACK,
      ssl_client_verify: MAY_LACK,
      ssl_curve: MAY_LACK,
      ssl_curves: GREETING,
      ssl_early_data: MAY_LACK,
      ssl_ech_outer_server_name: { since: '1.29.4', ...MAY_LACK },
      ssl_ech_status: { since: '1.29.4', ...MAY_LACK },
      ssl_protocol: MAY_LACK,
      ssl_server_name: GREETING,
      ssl_session_id: { empty: 'sometimes', client: 'handshake', changes: 'connection' },
      ssl_session_reused: MAY_LACK,
      ssl_sigalg: { since: '1.29.3', ...MAY_LACK },
      ssl_sigalgs: { since: '1.31.2', ...GREETING },
    },
  },
  {
    module: 'ngx_http_acme_module',
    build: 'http_acme',
    needs: 'module',
    variables: { acme_certificate: MAY_LACK, acme_certificate_key: MAY_LACK },
  },
  {
    module: 'ngx_otel_module',
    build: 'otel',
    needs: 'module',
    variables: {
      otel_parent_id: HEADER,
      otel_parent_sampled: MAY_LACK,
      otel_span_id: { empty: 'sometimes', changes: 'request' },
      otel_trace_id: { empty: 'sometimes', changes: 'request' },
    },
  },
  {
    module: 'ngx_http_auth_jwt_module',
    plus: true,
    variables: { 'jwt_claim_*': TOKEN, 'jwt_header_*': TOKEN, jwt_payload: TOKEN },
  },
  {
    module: 'ngx_http_oidc_module',
    plus: true,
    since: '1.27.4',
    variables: {
      oidc_access_token: MAY_LACK,
      'oidc_claim_*': MAY_LACK,
      oidc_id_token: MAY_LACK,
      oidc_userinfo: MAY_LACK,
    },
  },
  {
    module: 'ngx_http_proxy_protocol_vendor_module',
    plus: true,
    since: '1.23.3',
    variables: {
      proxy_protocol_tlv_aws_vpce_id: MAY_LACK,
      proxy_protocol_tlv_azure_pel_id: MAY_LACK,
      proxy_protocol_tlv_gcp_conn_id: MAY_LACK,
    },
  },
  {
    module: 'ngx_http_session_log_module',
    plus: true,
    variables: { session_log_binary_id: MAY_LACK, session_log_id: MAY_LACK },
  },
]

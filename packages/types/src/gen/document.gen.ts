// Generated from spec/openapi.yaml by `npm run generate`. Do not edit.

/** The whole spec. What shows it to people reads spec/openapi.yaml, which has its order. */
export const openApiDocument: object = {
  "components": {
    "headers": {
      "Allow": {
        "description": "With 405, the methods that the path knows.",
        "example": "GET, HEAD, POST",
        "schema": {
          "type": "string"
        }
      },
      "Challenge": {
        "description": "How to authenticate (RFC 6750).",
        "example": "Bearer",
        "required": true,
        "schema": {
          "type": "string"
        }
      },
      "Deprecation": {
        "description": "Since when the operation is deprecated (RFC 9745).",
        "example": "@1795132800",
        "required": true,
        "schema": {
          "type": "string"
        }
      },
      "IdempotencyReplayed": {
        "description": "Present, as `true`, where the request was done before and is answered as then.",
        "example": "true",
        "schema": {
          "enum": [
            "true"
          ],
          "type": "string"
        }
      },
      "NextPage": {
        "description": "Present where there may be more behind the page. `rel=\"next\"` leads there (RFC 8288), relative to the request.",
        "example": "<?limit=20&after=20>; rel=\"next\"",
        "schema": {
          "type": "string"
        }
      },
      "NoSniff": {
        "description": "The body is what Content-Type says, and nothing else.",
        "example": "nosniff",
        "required": true,
        "schema": {
          "type": "string"
        }
      },
      "RateLimit": {
        "description": "Present where the requests of a key are limited: how many it has left, `r`, and the seconds until it has all of them again, `t` (draft-ietf-httpapi-ratelimit-headers).",
        "example": "\"per-key\";r=59;t=1",
        "schema": {
          "type": "string"
        }
      },
      "RateLimitPolicy": {
        "description": "Present where the requests of a key are limited: how many it has, `q`, in so many seconds, `w`.",
        "example": "\"per-key\";q=60;w=60",
        "schema": {
          "type": "string"
        }
      },
      "RequestId": {
        "description": "Identifies the request in the logs of the server; the client's own, if it sent one.",
        "example": "0b9c6f3e-7a54-4d1c-9b0e-3f1f2a6f7c11",
        "required": true,
        "schema": {
          "type": "string"
        }
      },
      "RetryAfter": {
        "description": "With 409, 429 and 503, the seconds to wait before the next try.",
        "example": 1,
        "schema": {
          "minimum": 0,
          "type": "integer"
        }
      },
      "Successor": {
        "description": "The operation to use instead, as `rel=\"successor-version\"` (RFC 8288, RFC 5829).",
        "example": "</v1/pets>; rel=\"successor-version\"",
        "required": true,
        "schema": {
          "type": "string"
        }
      },
      "Sunset": {
        "description": "When the operation is going to be removed (RFC 8594).",
        "example": "Thu, 05 Dec 2030 00:00:00 GMT",
        "required": true,
        "schema": {
          "type": "string"
        }
      },
      "Version": {
        "description": "The version of what was answered, where the store knows it. Sent back as `If-None-Match`, it is answered 304 for as long as nothing has changed (RFC 9110).",
        "example": "\"1c9d44ab-10001\"",
        "schema": {
          "type": "string"
        }
      }
    },
    "parameters": {
      "IdempotencyKey": {
        "description": "Makes the request safe to repeat (draft-ietf-httpapi-idempotency-key-header): for 24 hours, the same key with the same\nrequest is answered as the first time, and done once. 1 to 255 visible ASCII characters, which no other request of the\nsame API key has; a UUID does. In double quotes, with `\\\"` and `\\\\` for those two characters, it is the same key.\n",
        "example": "8e03978e-40d5-43dd-bc93-6894a57f9324",
        "in": "header",
        "name": "Idempotency-Key",
        "schema": {
          "pattern": "^(?:[!#-~][!-~]{0,254}|\"(?:[!#-\\[\\]-~]|\\\\[\"\\\\]){1,255}\")$",
          "type": "string"
        },
        "x-idempotency-key": true
      }
    },
    "responses": {
      "Failure": {
        "content": {
          "application/json": {
            "example": {
              "code": "unavailable",
              "message": "The store cannot be reached. Try again later.",
              "status": 503
            },
            "schema": {
              "$ref": "#/components/schemas/Error"
            }
          }
        },
        "description": "Anything else that can go wrong.",
        "headers": {
          "Allow": {
            "$ref": "#/components/headers/Allow"
          },
          "RateLimit": {
            "$ref": "#/components/headers/RateLimit"
          },
          "RateLimit-Policy": {
            "$ref": "#/components/headers/RateLimitPolicy"
          },
          "Retry-After": {
            "$ref": "#/components/headers/RetryAfter"
          },
          "X-Content-Type-Options": {
            "$ref": "#/components/headers/NoSniff"
          },
          "X-Request-Id": {
            "$ref": "#/components/headers/RequestId"
          }
        }
      },
      "IdempotencyKeyReused": {
        "content": {
          "application/json": {
            "example": {
              "code": "idempotency_key_reused",
              "message": "This Idempotency-Key belongs to another request. Nothing was done; send this one with a key of its own.",
              "status": 422
            },
            "schema": {
              "$ref": "#/components/schemas/Error"
            }
          }
        },
        "description": "The `Idempotency-Key` belongs to another request of the last 24 hours. Nothing was done.",
        "headers": {
          "RateLimit": {
            "$ref": "#/components/headers/RateLimit"
          },
          "RateLimit-Policy": {
            "$ref": "#/components/headers/RateLimitPolicy"
          },
          "X-Content-Type-Options": {
            "$ref": "#/components/headers/NoSniff"
          },
          "X-Request-Id": {
            "$ref": "#/components/headers/RequestId"
          }
        }
      },
      "InvalidRequest": {
        "content": {
          "application/json": {
            "example": {
              "code": "invalid_request",
              "message": "body: must have required property 'categoryId'",
              "status": 400
            },
            "schema": {
              "$ref": "#/components/schemas/Error"
            }
          }
        },
        "description": "A parameter or the body is malformed, missing required fields, or contains invalid values.",
        "headers": {
          "RateLimit": {
            "$ref": "#/components/headers/RateLimit"
          },
          "RateLimit-Policy": {
            "$ref": "#/components/headers/RateLimitPolicy"
          },
          "X-Content-Type-Options": {
            "$ref": "#/components/headers/NoSniff"
          },
          "X-Request-Id": {
            "$ref": "#/components/headers/RequestId"
          }
        }
      },
      "NotModified": {
        "description": "The version that `If-None-Match` names is still the current one.",
        "headers": {
          "ETag": {
            "$ref": "#/components/headers/Version"
          },
          "RateLimit": {
            "$ref": "#/components/headers/RateLimit"
          },
          "RateLimit-Policy": {
            "$ref": "#/components/headers/RateLimitPolicy"
          },
          "X-Content-Type-Options": {
            "$ref": "#/components/headers/NoSniff"
          },
          "X-Request-Id": {
            "$ref": "#/components/headers/RequestId"
          }
        }
      },
      "RequestInFlight": {
        "content": {
          "application/json": {
            "example": {
              "code": "request_in_flight",
              "message": "A request with this Idempotency-Key is still being worked on. Repeat this one later.",
              "status": 409
            },
            "schema": {
              "$ref": "#/components/schemas/Error"
            }
          }
        },
        "description": "A request with the same `Idempotency-Key` is still being worked on. Repeat this one later.",
        "headers": {
          "RateLimit": {
            "$ref": "#/components/headers/RateLimit"
          },
          "RateLimit-Policy": {
            "$ref": "#/components/headers/RateLimitPolicy"
          },
          "Retry-After": {
            "$ref": "#/components/headers/RetryAfter"
          },
          "X-Content-Type-Options": {
            "$ref": "#/components/headers/NoSniff"
          },
          "X-Request-Id": {
            "$ref": "#/components/headers/RequestId"
          }
        }
      },
      "Unauthorized": {
        "content": {
          "application/json": {
            "example": {
              "code": "unauthorized",
              "message": "The API key is missing or invalid.",
              "status": 401
            },
            "schema": {
              "$ref": "#/components/schemas/Error"
            }
          }
        },
        "description": "The API key is missing or invalid.",
        "headers": {
          "RateLimit": {
            "$ref": "#/components/headers/RateLimit"
          },
          "RateLimit-Policy": {
            "$ref": "#/components/headers/RateLimitPolicy"
          },
          "WWW-Authenticate": {
            "$ref": "#/components/headers/Challenge"
          },
          "X-Content-Type-Options": {
            "$ref": "#/components/headers/NoSniff"
          },
          "X-Request-Id": {
            "$ref": "#/components/headers/RequestId"
          }
        }
      }
    },
    "schemas": {
      "CategoryId": {
        "description": "Identifier of the category the animal belongs to.",
        "format": "int64",
        "type": "integer"
      },
      "Error": {
        "additionalProperties": false,
        "description": "What every failed request is answered with.",
        "properties": {
          "code": {
            "$ref": "#/components/schemas/ErrorCode"
          },
          "message": {
            "description": "Human-readable description.",
            "type": "string"
          },
          "status": {
            "description": "The HTTP status code of the response.",
            "maximum": 599,
            "minimum": 400,
            "type": "integer"
          }
        },
        "required": [
          "code",
          "message",
          "status"
        ],
        "type": "object"
      },
      "ErrorCode": {
        "description": "Machine-readable error code. The set is closed:\n\n- `invalid_request`: a parameter, a header or the body is malformed or breaks a rule (400, or a 4xx without a code of its own)\n- `unauthorized`: the API key is missing or invalid (401)\n- `not_found`: there is no such animal, or no such path (404)\n- `method_not_allowed`: the path exists, the method does not; `Allow` names those that do (405)\n- `request_in_flight`: a request with the same `Idempotency-Key` is still being worked on; `Retry-After` says when to come back (409)\n- `payload_too_large`: the body is larger than the server takes (413)\n- `unsupported_media_type`: the body is not `application/json` (415)\n- `idempotency_key_reused`: the `Idempotency-Key` belongs to another request (422)\n- `rate_limited`: too many requests with this key; `Retry-After` says when to come back (429)\n- `internal_error`: a fault of the service (500)\n- `unavailable`: the service cannot answer now; `Retry-After` says when to come back (503)\n",
        "enum": [
          "invalid_request",
          "unauthorized",
          "not_found",
          "method_not_allowed",
          "request_in_flight",
          "payload_too_large",
          "unsupported_media_type",
          "idempotency_key_reused",
          "rate_limited",
          "internal_error",
          "unavailable"
        ],
        "type": "string",
        "x-statuses": {
          "idempotency_key_reused": 422,
          "internal_error": 500,
          "invalid_request": 400,
          "method_not_allowed": 405,
          "not_found": 404,
          "payload_too_large": 413,
          "rate_limited": 429,
          "request_in_flight": 409,
          "unauthorized": 401,
          "unavailable": 503,
          "unsupported_media_type": 415
        }
      },
      "NewPet": {
        "additionalProperties": false,
        "description": "An animal to add. The service assigns its identifier.",
        "properties": {
          "categoryId": {
            "$ref": "#/components/schemas/CategoryId"
          },
          "name": {
            "$ref": "#/components/schemas/PetName"
          },
          "status": {
            "$ref": "#/components/schemas/PetStatus"
          }
        },
        "required": [
          "name",
          "categoryId"
        ],
        "type": "object"
      },
      "Pet": {
        "additionalProperties": false,
        "description": "An animal of the store.",
        "properties": {
          "categoryId": {
            "$ref": "#/components/schemas/CategoryId"
          },
          "id": {
            "$ref": "#/components/schemas/PetId"
          },
          "name": {
            "$ref": "#/components/schemas/PetName"
          },
          "status": {
            "$ref": "#/components/schemas/PetStatus"
          }
        },
        "required": [
          "id",
          "name",
          "categoryId"
        ],
        "type": "object"
      },
      "PetId": {
        "description": "Unique identifier assigned by the service on creation.",
        "format": "int64",
        "maximum": 9007199254740991,
        "minimum": 1,
        "type": "integer"
      },
      "PetName": {
        "description": "The animal's name.",
        "type": "string"
      },
      "PetStatus": {
        "description": "Availability of the animal.",
        "enum": [
          "available",
          "pending",
          "sold"
        ],
        "type": "string"
      }
    },
    "securitySchemes": {
      "bearer": {
        "description": "The API key as a bearer token: `Authorization: Bearer <API_KEY>`.",
        "scheme": "bearer",
        "type": "http"
      }
    }
  },
  "info": {
    "description": "The service keeps a catalogue of animals (pets) for a store. A client can list them, optionally by status, and add one.\n\nEvery operation needs an API key as a bearer token. Bodies are JSON. Whatever goes wrong is answered with an Error, whose\n`status` equals the HTTP status and whose `code` is one of a closed set.\n\nWhat is not described is refused, never ignored: an unknown or repeated query parameter, an unknown member of a body, an\ninteger in a query in anything but decimal digits, text that is not well-formed Unicode. Integers of 64 bits are exact, also\nbeyond what many JSON parsers hold. Paths are matched letter by letter.\n",
    "license": {
      "identifier": "MIT",
      "name": "MIT"
    },
    "summary": "A store of animals that can be listed, added and fetched by identifier.",
    "title": "Petstore",
    "version": "1.0.0"
  },
  "openapi": "3.1.0",
  "paths": {
    "/pets": {
      "get": {
        "description": "Answers a page of animals in ascending order of `id`, optionally only those with a given status. A page of large animals\nends before `limit`, at about 1 MiB. A page behind which there may be more carries a `Link` header with `rel=\"next\"`.\n",
        "operationId": "listPets",
        "parameters": [
          {
            "description": "Maximum number of animals returned.",
            "example": 50,
            "in": "query",
            "name": "limit",
            "schema": {
              "default": 20,
              "maximum": 100,
              "minimum": 1,
              "type": "integer"
            }
          },
          {
            "description": "Return only animals with this availability status. An animal without a status matches none.",
            "example": "available",
            "in": "query",
            "name": "status",
            "schema": {
              "$ref": "#/components/schemas/PetStatus"
            }
          },
          {
            "description": "Return only animals whose identifier is greater than this one; `0` starts at the beginning.",
            "example": 20,
            "in": "query",
            "name": "after",
            "schema": {
              "format": "int64",
              "maximum": 9007199254740991,
              "minimum": 0,
              "type": "integer"
            }
          }
        ],
        "responses": {
          "200": {
            "content": {
              "application/json": {
                "example": [
                  {
                    "categoryId": 2,
                    "id": 1,
                    "name": "Rex",
                    "status": "available"
                  },
                  {
                    "categoryId": 1,
                    "id": 2,
                    "name": "Tom"
                  }
                ],
                "schema": {
                  "items": {
                    "$ref": "#/components/schemas/Pet"
                  },
                  "type": "array"
                }
              }
            },
            "description": "A page of animals, in ascending order of `id`.",
            "headers": {
              "ETag": {
                "$ref": "#/components/headers/Version"
              },
              "Link": {
                "$ref": "#/components/headers/NextPage"
              },
              "RateLimit": {
                "$ref": "#/components/headers/RateLimit"
              },
              "RateLimit-Policy": {
                "$ref": "#/components/headers/RateLimitPolicy"
              },
              "X-Content-Type-Options": {
                "$ref": "#/components/headers/NoSniff"
              },
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            }
          },
          "304": {
            "$ref": "#/components/responses/NotModified"
          },
          "400": {
            "$ref": "#/components/responses/InvalidRequest"
          },
          "401": {
            "$ref": "#/components/responses/Unauthorized"
          },
          "default": {
            "$ref": "#/components/responses/Failure"
          }
        },
        "summary": "List animals",
        "tags": [
          "pets"
        ],
        "x-pagination": {
          "cursor": "after",
          "key": "id",
          "limit": "limit"
        }
      },
      "post": {
        "description": "Adds an animal and answers it with the identifier that the service assigned. With an `Idempotency-Key` it can be\nrepeated until it is answered, and adds one animal however often it arrives.\n",
        "operationId": "createPet",
        "parameters": [
          {
            "$ref": "#/components/parameters/IdempotencyKey"
          }
        ],
        "requestBody": {
          "content": {
            "application/json": {
              "example": {
                "categoryId": 2,
                "name": "Rex",
                "status": "available"
              },
              "schema": {
                "$ref": "#/components/schemas/NewPet"
              }
            }
          },
          "description": "The animal to add. Members other than the ones listed are refused, never dropped.",
          "required": true
        },
        "responses": {
          "201": {
            "content": {
              "application/json": {
                "example": {
                  "categoryId": 2,
                  "id": 1,
                  "name": "Rex",
                  "status": "available"
                },
                "schema": {
                  "$ref": "#/components/schemas/Pet"
                }
              }
            },
            "description": "The added animal, including the assigned `id`.",
            "headers": {
              "Idempotency-Replayed": {
                "$ref": "#/components/headers/IdempotencyReplayed"
              },
              "RateLimit": {
                "$ref": "#/components/headers/RateLimit"
              },
              "RateLimit-Policy": {
                "$ref": "#/components/headers/RateLimitPolicy"
              },
              "X-Content-Type-Options": {
                "$ref": "#/components/headers/NoSniff"
              },
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/InvalidRequest"
          },
          "401": {
            "$ref": "#/components/responses/Unauthorized"
          },
          "409": {
            "$ref": "#/components/responses/RequestInFlight"
          },
          "422": {
            "$ref": "#/components/responses/IdempotencyKeyReused"
          },
          "default": {
            "$ref": "#/components/responses/Failure"
          }
        },
        "summary": "Add an animal",
        "tags": [
          "pets"
        ]
      }
    },
    "/pets/{petId}": {
      "get": {
        "deprecated": true,
        "description": "Answers one animal by its identifier. Use `GET /pets` with the `status` filter instead.",
        "operationId": "getPet",
        "parameters": [
          {
            "description": "Identifier of the animal to retrieve.",
            "example": 1,
            "in": "path",
            "name": "petId",
            "required": true,
            "schema": {
              "$ref": "#/components/schemas/PetId"
            }
          }
        ],
        "responses": {
          "200": {
            "content": {
              "application/json": {
                "example": {
                  "categoryId": 2,
                  "id": 1,
                  "name": "Rex",
                  "status": "available"
                },
                "schema": {
                  "$ref": "#/components/schemas/Pet"
                }
              }
            },
            "description": "The animal.",
            "headers": {
              "Deprecation": {
                "$ref": "#/components/headers/Deprecation"
              },
              "ETag": {
                "$ref": "#/components/headers/Version"
              },
              "Link": {
                "$ref": "#/components/headers/Successor"
              },
              "RateLimit": {
                "$ref": "#/components/headers/RateLimit"
              },
              "RateLimit-Policy": {
                "$ref": "#/components/headers/RateLimitPolicy"
              },
              "Sunset": {
                "$ref": "#/components/headers/Sunset"
              },
              "X-Content-Type-Options": {
                "$ref": "#/components/headers/NoSniff"
              },
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            }
          },
          "304": {
            "description": "The version that `If-None-Match` names is still the current one.",
            "headers": {
              "Deprecation": {
                "$ref": "#/components/headers/Deprecation"
              },
              "ETag": {
                "$ref": "#/components/headers/Version"
              },
              "Link": {
                "$ref": "#/components/headers/Successor"
              },
              "RateLimit": {
                "$ref": "#/components/headers/RateLimit"
              },
              "RateLimit-Policy": {
                "$ref": "#/components/headers/RateLimitPolicy"
              },
              "Sunset": {
                "$ref": "#/components/headers/Sunset"
              },
              "X-Content-Type-Options": {
                "$ref": "#/components/headers/NoSniff"
              },
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            }
          },
          "401": {
            "content": {
              "application/json": {
                "example": {
                  "code": "unauthorized",
                  "message": "The API key is missing or invalid.",
                  "status": 401
                },
                "schema": {
                  "$ref": "#/components/schemas/Error"
                }
              }
            },
            "description": "The API key is missing or invalid.",
            "headers": {
              "Deprecation": {
                "$ref": "#/components/headers/Deprecation"
              },
              "Link": {
                "$ref": "#/components/headers/Successor"
              },
              "RateLimit": {
                "$ref": "#/components/headers/RateLimit"
              },
              "RateLimit-Policy": {
                "$ref": "#/components/headers/RateLimitPolicy"
              },
              "Sunset": {
                "$ref": "#/components/headers/Sunset"
              },
              "WWW-Authenticate": {
                "$ref": "#/components/headers/Challenge"
              },
              "X-Content-Type-Options": {
                "$ref": "#/components/headers/NoSniff"
              },
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            }
          },
          "404": {
            "content": {
              "application/json": {
                "example": {
                  "code": "not_found",
                  "message": "There is no animal with the identifier 7.",
                  "status": 404
                },
                "schema": {
                  "$ref": "#/components/schemas/Error"
                }
              }
            },
            "description": "The requested animal could not be found. This is also the answer to a `petId` that no animal can have.",
            "headers": {
              "Deprecation": {
                "$ref": "#/components/headers/Deprecation"
              },
              "Link": {
                "$ref": "#/components/headers/Successor"
              },
              "RateLimit": {
                "$ref": "#/components/headers/RateLimit"
              },
              "RateLimit-Policy": {
                "$ref": "#/components/headers/RateLimitPolicy"
              },
              "Sunset": {
                "$ref": "#/components/headers/Sunset"
              },
              "X-Content-Type-Options": {
                "$ref": "#/components/headers/NoSniff"
              },
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            }
          },
          "default": {
            "content": {
              "application/json": {
                "example": {
                  "code": "unavailable",
                  "message": "The store cannot be reached. Try again later.",
                  "status": 503
                },
                "schema": {
                  "$ref": "#/components/schemas/Error"
                }
              }
            },
            "description": "Anything else that can go wrong.",
            "headers": {
              "Allow": {
                "$ref": "#/components/headers/Allow"
              },
              "Deprecation": {
                "$ref": "#/components/headers/Deprecation"
              },
              "Link": {
                "$ref": "#/components/headers/Successor"
              },
              "RateLimit": {
                "$ref": "#/components/headers/RateLimit"
              },
              "RateLimit-Policy": {
                "$ref": "#/components/headers/RateLimitPolicy"
              },
              "Retry-After": {
                "$ref": "#/components/headers/RetryAfter"
              },
              "Sunset": {
                "$ref": "#/components/headers/Sunset"
              },
              "X-Content-Type-Options": {
                "$ref": "#/components/headers/NoSniff"
              },
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            }
          }
        },
        "summary": "Get an animal",
        "tags": [
          "pets"
        ],
        "x-deprecated-since": "2026-11-20",
        "x-successor": "listPets",
        "x-sunset": "2030-12-05"
      }
    }
  },
  "security": [
    {
      "bearer": []
    }
  ],
  "servers": [
    {
      "description": "Production",
      "url": "{base_url}",
      "variables": {
        "base_url": {
          "default": "http://127.0.0.1:8080/v1",
          "description": "The address of the production deployment, ending in the version segment. The default is where a server started on this machine listens."
        }
      },
      "x-deployment": "production"
    },
    {
      "description": "Staging",
      "url": "{staging_base_url}",
      "variables": {
        "staging_base_url": {
          "default": "http://127.0.0.1:8081/v1",
          "description": "The address of the staging deployment, ending in the version segment. The default is where a server started on this machine as staging listens."
        }
      },
      "x-deployment": "staging"
    }
  ],
  "tags": [
    {
      "description": "The animals of the store.",
      "name": "pets"
    }
  ]
};

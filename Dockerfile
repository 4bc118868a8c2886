# Images of Spandrel: `docker build --target server .` and `docker build --target gateway .` (amd64 and arm64).
# docs/operations.md, "Containers", says how to run them; docs/adr/0016-deployables.md why they are so.

FROM node:26.12.1-bookworm-slim AS base
WORKDIR /app
ENV NODE_ENV=production

# Packages that are no part of dist/. Without the optional ones: the only one is Node itself, which the base has.
FROM base AS dependencies
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --omit=optional --no-update-notifier

# The compiler is a development package, and its parts for this platform are optional ones: all of them.
FROM base AS build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --include=dev --no-update-notifier
COPY tsconfig.json .swcrc ./
COPY bin ./bin
COPY scripts ./scripts
COPY apps ./apps
COPY libs ./libs
COPY plugins ./plugins
RUN npm run build

# Without the commands that open the database.
FROM build AS gateway-build
RUN npm run build -- --gateway

FROM base AS runtime
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Spandrel" \
      org.opencontainers.image.description="Recording, evaluation and review of LLM applications" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
# Local mode has no login and listens to its own machine only, which in a container nobody else reaches.
ENV SPANDREL_MODE=cloud
# Owned by the user of the program, so that a volume mounted here is too: the database of local mode, the gateway's spool.
RUN install --directory --owner=1000 --group=1000 --mode=0700 /data /spool
ENV SPANDREL_DATA_DIR=/data
COPY package.json LICENSE ./
COPY bin ./bin
# So that `docker compose exec server spandrel admin …` works as written.
RUN ln -s /app/bin/spandrel.cjs /usr/local/bin/spandrel
COPY config ./config
COPY deploy/docker/healthcheck.mjs ./deploy/docker/healthcheck.mjs
STOPSIGNAL SIGTERM
# Node is process 1: the program handles SIGTERM and SIGINT itself and starts no other processes.
ENTRYPOINT ["node", "bin/spandrel.cjs"]

FROM runtime AS gateway
COPY --from=dependencies /app/node_modules/piscina ./node_modules/piscina
COPY --from=gateway-build /app/dist ./dist
USER 1000:1000
EXPOSE 3001
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
    CMD ["node", "deploy/docker/healthcheck.mjs", "gateway"]
CMD ["gateway"]

# The last stage, so that it is what a build without --target makes. It holds the gateway too: `serve` runs both.
FROM runtime AS server
COPY --from=dependencies /app/node_modules/better-sqlite3 ./node_modules/better-sqlite3
COPY --from=dependencies /app/node_modules/piscina ./node_modules/piscina
COPY --from=dependencies /app/node_modules/swagger-ui-dist ./node_modules/swagger-ui-dist
COPY --from=build /app/dist ./dist
USER 1000:1000
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=120s --retries=3 \
    CMD ["node", "deploy/docker/healthcheck.mjs", "server"]
CMD ["server"]

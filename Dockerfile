# The command line in a container, which needs neither a network nor to write anything but its result:
#   docker build --tag ctxwin .
#   docker run --rm --network none --volume "$HOME/.claude/projects:/transcripts:ro" ctxwin simulate /transcripts
FROM node:24-slim AS package
WORKDIR /source
COPY . .
RUN npm ci --no-audit --no-fund && npm pack --ignore-scripts --pack-destination /

FROM node:24-slim
COPY --from=package /ctxwin-*.tgz /
RUN npm install --global --no-audit --no-fund /ctxwin-*.tgz && rm -r /ctxwin-*.tgz ~/.npm
USER node
WORKDIR /work
ENTRYPOINT ["ctxwin"]

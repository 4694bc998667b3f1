# Two stages: static programs from Go's image, then an image with nothing else in it. The server of
# this image brings no Postgres; DETENT_DATABASE_URL names one.
#
# docker build -t detent .                      # the server; the worker is the same image with
# docker run --entrypoint /detent-worker detent # another entry point

ARG GO_IMAGE=golang:1.26-bookworm

FROM ${GO_IMAGE} AS build
WORKDIR /src
# The modules first: they change less often than the code, and Docker keeps the layer.
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ENV CGO_ENABLED=0 GOFLAGS=-buildvcs=false
RUN mkdir -p /image/etc/ssl/certs \
 && go build -trimpath -ldflags='-s -w' -o /image/detent-server ./cmd/server \
 && go build -trimpath -ldflags='-s -w' -o /image/detent-worker ./cmd/worker \
 && go build -trimpath -ldflags='-s -w' -o /image/detent-healthcheck ./cmd/healthcheck \
 && cp /etc/ssl/certs/ca-certificates.crt /image/etc/ssl/certs/ \
 && echo 'detent:x:65532:65532:Detent:/:/sbin/nologin' >/image/etc/passwd \
 && echo 'detent:x:65532:' >/image/etc/group

FROM scratch
COPY --from=build /image /
USER 65532:65532
# A container is reached from outside of it.
ENV DETENT_ADDR=0.0.0.0:8080
EXPOSE 8080
ENTRYPOINT ["/detent-server"]

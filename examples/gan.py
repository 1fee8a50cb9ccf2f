"""Train a generator and a discriminator against each other on a folder of photographs (a small DCGAN).

    stallscope dataset make photos --images 2000
    python3 examples/gan.py --data photos
    torchrun --nproc_per_node 2 examples/gan.py --data photos
    stallscope run --nproc-per-node 2 -- examples/gan.py --data photos

Two models, two optimizers, two loaders: one shows photographs to the discriminator; those of the other are what the
generator's images shall resemble on average, in the discriminator's eyes (feature matching).
"""

import argparse
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.functional import binary_cross_entropy_with_logits, mse_loss
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler
from torchvision import datasets, transforms, utils

NOISE = 64  # numbers that an image is made from
IMAGE_SIZE = 32


def make_generator(width=32):
    def doubled(inputs, outputs):
        return [nn.ConvTranspose2d(inputs, outputs, 4, 2, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU()]

    return nn.Sequential(
        nn.ConvTranspose2d(NOISE, 4 * width, 4, bias=False), nn.BatchNorm2d(4 * width), nn.ReLU(),  # 4 x 4
        *doubled(4 * width, 2 * width),
        *doubled(2 * width, width),
        nn.ConvTranspose2d(width, 3, 4, 2, 1), nn.Tanh(),
    )


class Discriminator(nn.Module):
    def __init__(self, width=32):
        super().__init__()

        def halved(inputs, outputs):
            return [nn.Conv2d(inputs, outputs, 4, 2, 1), nn.GroupNorm(8, outputs), nn.LeakyReLU(0.2)]

        self.features = nn.Sequential(*halved(3, width), *halved(width, 2 * width), *halved(2 * width, 4 * width))
        self.score = nn.Conv2d(4 * width, 1, 4)

    def forward(self, images):
        features = self.features(images)
        return self.score(features).flatten(), features.mean(dim=0)


def make_loader(options, seed):
    prepare = transforms.Compose([
        transforms.RandomResizedCrop(IMAGE_SIZE, scale=(0.5, 1.0)),
        transforms.RandomHorizontalFlip(),
        transforms.ToTensor(),
        transforms.Normalize((0.5,) * 3, (0.5,) * 3),
    ])
    photos = datasets.ImageFolder(options.data, prepare)
    sampler = DistributedSampler(photos, seed=seed) if dist.is_initialized() else None
    return DataLoader(photos, options.batch, sampler=sampler, shuffle=sampler is None, drop_last=True,
                      num_workers=options.workers, persistent_workers=options.workers > 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, help="folder with one folder of images per class")
    parser.add_argument("--batch", type=int, default=32, help="images per process and step (default 32)")
    parser.add_argument("--workers", type=int, default=1, help="processes per loader and rank (default 1)")
    parser.add_argument("--epochs", type=int, default=90)
    parser.add_argument("--samples", default="samples.png", help="generated images, after each epoch")
    options = parser.parse_args()

    device = torch.device("cpu")
    if torch.cuda.is_available():
        device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", 0)))
        torch.cuda.set_device(device)
    if "RANK" in os.environ:
        dist.init_process_group("nccl" if device.type == "cuda" else "gloo")
    rank = dist.get_rank() if dist.is_initialized() else 0
    torch.manual_seed(1 + rank)  # ranks draw different noise; DDP gives all the weights of rank 0

    shown, wanted = make_loader(options, seed=1), make_loader(options, seed=2)
    plain_generator, plain_discriminator = make_generator().to(device), Discriminator().to(device)
    generator, discriminator = plain_generator, plain_discriminator
    if dist.is_initialized():
        devices = [device] if device.type == "cuda" else None
        generator = DistributedDataParallel(plain_generator, device_ids=devices)
        discriminator = DistributedDataParallel(plain_discriminator, device_ids=devices)
    generator_optimizer = torch.optim.Adam(plain_generator.parameters(), lr=2e-4, betas=(0.5, 0.999))
    discriminator_optimizer = torch.optim.Adam(plain_discriminator.parameters(), lr=2e-4, betas=(0.5, 0.999))
    real_then_fake = torch.cat([torch.ones(options.batch), torch.zeros(options.batch)]).to(device)

    for epoch in range(options.epochs):
        if dist.is_initialized():
            shown.sampler.set_epoch(epoch)
            wanted.sampler.set_epoch(epoch)
        for step, ((real, _), (like, _)) in enumerate(zip(shown, wanted)):
            fake = generator(torch.randn(options.batch, NOISE, 1, 1, device=device))

            scores, _ = discriminator(torch.cat([real.to(device), fake.detach()]))
            discriminator_loss = binary_cross_entropy_with_logits(scores, real_then_fake)
            discriminator_optimizer.zero_grad()
            discriminator_loss.backward()
            discriminator_optimizer.step()

            # The generator learns through the discriminator, which must not learn from it: no DDP, no gradients.
            plain_discriminator.requires_grad_(False)
            scores, features = plain_discriminator(fake)
            features_of_photos = plain_discriminator(like.to(device))[1]
            generator_loss = binary_cross_entropy_with_logits(scores, torch.ones_like(scores))
            generator_loss = generator_loss + mse_loss(features, features_of_photos)
            generator_optimizer.zero_grad()
            generator_loss.backward()
            generator_optimizer.step()
            plain_discriminator.requires_grad_(True)

            if rank == 0 and step % 20 == 0:
                print(f"epoch {epoch}, step {step} of {len(shown)}: discriminator {discriminator_loss.item():.3f}, "
                      f"generator {generator_loss.item():.3f}", flush=True)
        if rank == 0:
            utils.save_image(fake.detach(), options.samples, normalize=True)
    if dist.is_initialized():
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
